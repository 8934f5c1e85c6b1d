import type { OrganizationId } from '#shared/base/ids.ts';
import { isId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { ApiKeyRecord, type Principal, PrincipalKeyRecord } from './directory-records.ts';
import { apiKeyKey, principalKeyKey, principalKeyList } from './keys.ts';

/**
 * API keys of users and service accounts (semantics §12.4). A secret is an item of its own, found by its hash; the list
 * of the principal says which secrets make up a key. The list entry is what writers of a key meet at: whoever finds
 * another present secret in it than it had read was late.
 */

/** A principal has at most this many active keys: lists of them are read whole. */
export const MOST_KEYS = 100;
/** Secrets of one key that can be in their grace at once; rotating more often ends the oldest. */
const MOST_PREVIOUS = 5;
/** The database removes list entries of expired keys by itself, this long after their end. */
const CLEAN_UP_AFTER_SECONDS = 3600;

/** The list that an account's keys are in: found by its name, at the same time as the account. */
export const accountKeyList = (org: OrganizationId, account: string): string => `${org}#${account}`;
/** The list that a principal's keys are in. */
export const keyListOf = ({ id, org, name }: Principal): string => (org === undefined ? id : accountKeyList(org, name));

export type NewKey = Pick<ApiKeyRecord, 'id' | 'hash' | 'principal' | 'description' | 'createdAt' | 'expiresAt'>;

/** An active key: what is told of it, and the hashes of the secrets that it has. */
export interface ActiveKey {
  current: ApiKeyRecord;
  /** Secrets before the present one, in their grace, the newest first. */
  previous: ApiKeyRecord[];
  /** The latest use of any of its secrets, in microseconds; 0 = not yet. */
  lastUsedAt: Micros;
}

/** Every secret of a key. */
export const hashesOf = ({ current, previous }: ActiveKey): string[] => [current, ...previous].map(({ hash }) => hash);

/** The writes that make a key. @param taken what it means that another key has this secret; a fault unless said */
export const newKeyWrites = <R = never>(key: NewKey, taken?: (old: Item | undefined) => R): Write<R>[] => [
  putIfAbsent({ ...apiKeyKey(key.hash), ...secretOf(key) }, taken),
  { put: entryItem(key, []) },
];

const secretOf = (key: NewKey, lastUsedAt: Micros = 0): ApiKeyRecord => ({
  ...{ v: 1, graceEndsAt: 0, revoked: false, ...key, lastUsedAt },
});

const entryItem = ({ id, hash, principal, expiresAt }: NewKey, previous: string[]): Item => ({
  ...principalKeyKey(keyListOf(principal), id),
  ...({ v: 1, id, hash, previous } satisfies PrincipalKeyRecord),
  ...(expiresAt !== 0 && { ttl: Math.ceil(expiresAt / 1e6) + CLEAN_UP_AFTER_SECONDS }),
});

/**
 * The active keys of a principal, the oldest first: revoked and expired ones are gone (wire admin §7.2).
 * @param list from {@link keyListOf} or {@link accountKeyList}
 */
export async function readKeys(table: Table, list: string, now: Micros): Promise<ActiveKey[]> {
  const items = await table.query({ pk: principalKeyList(list) });
  return withSecrets(table, items, now);
}

/** @returns undefined for a key that is another principal's, revoked, expired or was never there */
export async function readKey(table: Table, list: string, id: string, now: Micros): Promise<ActiveKey | undefined> {
  if (!isId(id)) return undefined;
  const item = await table.get(principalKeyKey(list, id));
  const [key] = item ? await withSecrets(table, [item], now) : [];
  return key;
}

async function withSecrets(table: Table, items: readonly Item[], now: Micros): Promise<ActiveKey[]> {
  const entries = items.map((item) => PrincipalKeyRecord.parse(item));
  const found = await table.getMany(entries.flatMap(({ hash, previous }) => [hash, ...previous].map(apiKeyKey)));
  const secrets = (hashes: readonly string[]) =>
    hashes.flatMap((hash) => {
      const item = found.get(keyText(apiKeyKey(hash)));
      return item ? [ApiKeyRecord.parse(item)] : [];
    });
  return entries.flatMap(({ hash, previous }) => {
    const [current] = secrets([hash]);
    if (!current || current.revoked || isOver(current.expiresAt, now)) return [];
    const before = secrets(previous);
    const lastUsedAt = Math.max(current.lastUsedAt, ...before.map((secret) => secret.lastUsedAt));
    const inGrace = before.filter(({ revoked, graceEndsAt }) => !revoked && !isOver(graceEndsAt, now));
    return [{ current, previous: inGrace, lastUsedAt }];
  });
}

const isOver = (end: Micros, now: Micros): boolean => end !== 0 && end <= now;

const unchanged = ({ current }: ActiveKey) => ({
  ConditionExpression: '#hash = :hash',
  ExpressionAttributeNames: { '#hash': 'hash' },
  ExpressionAttributeValues: { ':hash': current.hash },
  refused: again,
});

/** What takes a key's present secret's place. */
export interface Rotation {
  /** Hash of the new secret. */
  hash: string;
  /** Microseconds; 0 = never. */
  expiresAt: Micros;
  /** When the present secret ends. */
  graceEndsAt: Micros;
}

/** The secret before ends with its own expiry, or with its grace, whichever is earlier (semantics §12.4). */
export const graceEnd = ({ current }: ActiveKey, grace: Micros, now: Micros): Micros =>
  current.expiresAt === 0 ? now + grace : Math.min(current.expiresAt, now + grace);

/** The writes that give a key another secret: id, description and time of making stay. */
export function rotationWrites(key: ActiveKey, { hash, expiresAt, graceEndsAt }: Rotation): Write<'again'>[] {
  const { current, previous, lastUsedAt } = key;
  const { id, principal, description, createdAt } = current;
  const next: NewKey = { id, hash, principal, description, createdAt, expiresAt };
  const ended = previous.slice(MOST_PREVIOUS - 1);
  const kept = [current.hash, ...previous.slice(0, MOST_PREVIOUS - 1).map((secret) => secret.hash)];
  return [
    { put: entryItem(next, kept), ...unchanged(key) },
    putIfAbsent({ ...apiKeyKey(hash), ...secretOf(next, lastUsedAt) }, again),
    {
      update: apiKeyKey(current.hash),
      UpdateExpression: 'SET graceEndsAt = :end',
      ExpressionAttributeValues: { ':end': graceEndsAt },
    },
    ...ended.map((secret) => revocation(secret.hash)),
  ];
}

/** The writes that end a key with all its secrets. The secrets stay, revoked: giving one again does not revive it. */
export const revocationWrites = (key: ActiveKey): Write<'again'>[] => [
  { remove: principalKeyKey(keyListOf(key.current.principal), key.current.id), ...unchanged(key) },
  ...hashesOf(key).map(revocation),
];

const revocation = (hash: string): Write => ({
  update: apiKeyKey(hash),
  UpdateExpression: 'SET revoked = :yes',
  ExpressionAttributeValues: { ':yes': true },
});
