import {
  type EnvironmentId,
  type Fingerprint,
  isKnownFingerprint,
  type OrganizationId,
  storedFingerprint,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { keyText, type Table, type Write, withRequest } from '#shared/table/table.ts';
import { AllowedItem, type EnvironmentHead } from './environment-records.ts';
import { allowedEntryKey, allowedKey, allowedPartition } from './keys.ts';

/** Reads which of these fingerprints are on an environment's allow-list, in one batch; nothing if the list is empty. */
export async function readAllowed(
  table: Table,
  org: OrganizationId,
  { id: environment, allowed }: Pick<EnvironmentHead, 'id' | 'allowed'>,
  fingerprints: Iterable<Fingerprint | ''>,
): Promise<Set<string>> {
  if (allowed === 0) return new Set();
  const wanted = [...fingerprints].filter(isKnownFingerprint);
  const found = await table.getMany(wanted.map((fingerprint) => allowedKey(org, environment, fingerprint)));
  return new Set(wanted.filter((fingerprint) => found.has(keyText(allowedKey(org, environment, fingerprint)))));
}

/** Reads which of these environments allow a fingerprint, in one batch per 100 of them. */
export async function readAllowing(
  table: Table,
  org: OrganizationId,
  environments: readonly EnvironmentId[],
  fingerprint: Fingerprint,
): Promise<Set<EnvironmentId>> {
  const found = await table.getMany(environments.map((environment) => allowedKey(org, environment, fingerprint)));
  return new Set(environments.filter((environment) => found.has(keyText(allowedKey(org, environment, fingerprint)))));
}

/** Reads a fingerprint's entry in force; null if it has none. */
export async function readAllowedEntry(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprint: Fingerprint,
): Promise<AllowedItem | null> {
  const item = await table.get(allowedKey(org, environment, fingerprint));
  return item ? AllowedItem.parse(item) : null;
}

/** Reads the entry that put a fingerprint on the list, in one Query of one item; null if there is none. */
export async function readAddition(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprint: Fingerprint,
): Promise<AllowedItem | null> {
  const { pk, sk } = allowedKey(org, environment, fingerprint);
  // Ids of entries sort by time, and a fingerprint never leaves the list, so its first entry added it.
  const [item] = await table.query({ pk, from: `${sk}#`, to: `${sk}#~`, limit: 1 });
  return item ? AllowedItem.parse(item) : null;
}

/** Reads the entries in force of some fingerprints, in one batch per 100 of them. */
export async function readAllowedEntries(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprints: Iterable<Fingerprint>,
): Promise<Map<string, AllowedItem>> {
  const found = await table.getMany([...fingerprints].map((fingerprint) => allowedKey(org, environment, fingerprint)));
  return new Map([...found.values()].map((item) => AllowedItem.parse(item)).map((entry) => [entry.fingerprint, entry]));
}

export interface AllowedPage {
  entries: (AllowedItem | { fingerprint: string; unreadable: unknown })[];
  /** The fingerprint that the next page follows; null on the last page. */
  next: Fingerprint | null;
}

/**
 * A Query of this many items per entry of the page. The partition also holds the earlier entries of each fingerprint, so a
 * page can be short.
 */
const ITEMS_PER_ENTRY = 4;

/** Reads the entries in force by fingerprint, in one Query. @param after the fingerprint that the page follows */
export async function readAllowedPage(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  after: Fingerprint | undefined,
  perPage: number,
): Promise<AllowedPage> {
  const limit = perPage * ITEMS_PER_ENTRY;
  const pk = allowedPartition(org, environment);
  // The tilde sorts after every id, so the page begins after all entries of the fingerprint.
  const items = await table.query({ pk, limit, ...(after !== undefined && { from: `${after}#~` }) });
  const inForce = items.filter(({ sk }) => !sk.includes('#'));
  const shown = inForce.slice(0, perPage);
  const isCut = items.length === limit || shown.length < inForce.length;
  const last = shown.length < inForce.length ? shown.at(-1) : items.at(-1);
  return {
    entries: shown.map((item) => {
      const { data, error } = AllowedItem.safeParse(item);
      return data ?? { fingerprint: item.sk, unreadable: error };
    }),
    next: isCut && last ? storedFingerprint(last.sk.split('#')[0] ?? '') : null,
  };
}

/** Reads the entries that an environment's allow-list got since an instant, in one Query. */
export async function readAllowedSince(table: Table, org: OrganizationId, environment: EnvironmentId, since: Micros) {
  const items = await table.query({ pk: allowedPartition(org, environment) });
  return items
    .filter(({ sk }) => sk.includes('#'))
    .map((item) => AllowedItem.parse(item))
    .filter(({ at }) => at >= since);
}

/** The latest entry is in force; every entry is kept (rules/environments.md#allow-list). */
export const allowedWrites = (org: OrganizationId, entry: AllowedItem): Write[] => {
  const { environment, fingerprint, id } = entry;
  return [
    { put: { ...allowedKey(org, environment, fingerprint), v: 1, ...entry } },
    withRequest({ put: { ...allowedEntryKey(org, environment, fingerprint, id), v: 1, ...entry } }),
  ];
};
