import { type EnvironmentId, type Fingerprint, isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { AllowedItem } from './environment-records.ts';
import { allowedEntryKey, allowedKey, allowedPartition } from './keys.ts';

/** Which of these fingerprints are on an environment's allow-list: one batch read. */
export async function readAllowed(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprints: Iterable<Fingerprint | ''>,
): Promise<Set<string>> {
  const wanted = [...fingerprints].filter(isKnownFingerprint);
  const found = await table.getMany(wanted.map((fingerprint) => allowedKey(org, environment, fingerprint)));
  return new Set(wanted.filter((fingerprint) => found.has(keyText(allowedKey(org, environment, fingerprint)))));
}

/** The entry of a fingerprint in force; null where it has none. */
export async function readAllowedEntry(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprint: Fingerprint,
): Promise<AllowedItem | null> {
  const item = await table.get(allowedKey(org, environment, fingerprint));
  return item ? AllowedItem.parse(item) : null;
}

/** Every entry that was made in an environment from an instant on: one Query of its allow-list. */
export async function readAllowedSince(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  since: Micros,
): Promise<AllowedItem[]> {
  const items = await table.query({ pk: allowedPartition(org, environment) });
  return items
    .filter(({ sk }) => sk.includes('#'))
    .map((item) => AllowedItem.parse(item))
    .filter(({ at }) => at >= since);
}

/** The latest entry is in force; every entry stays (semantics §5.7). */
export const allowedWrites = (org: OrganizationId, entry: AllowedItem): Write[] => {
  const { environment, fingerprint, id } = entry;
  return [
    { put: { ...allowedKey(org, environment, fingerprint), v: 1, ...entry } },
    { put: { ...allowedEntryKey(org, environment, fingerprint, id), v: 1, ...entry } },
  ];
};
