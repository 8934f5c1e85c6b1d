import { isId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, EPOCH, earliestOf, latestOf, type Micros, plus } from '#shared/base/time.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { change, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, keyText, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { ApiKeyRecord, KeyUseRecord, type Principal, PrincipalKeyRecord } from './directory-records.ts';
import { apiKeyKey, keyUseKey, principalKeyKey, principalKeyList } from './keys.ts';

/**
 * API keys of users and service accounts (rules/organizations.md#api-keys). Each secret is an item, found by its hash. The
 * entry in the principal's list names the secrets of a key. Every write of a key is conditional on the present secret in
 * this entry, so of two writers at the same time one is refused and retries.
 */

/** Maximum of active keys per principal. It is bounded because a list of keys is read whole. */
export const MOST_KEYS = 100;
/** Maximum of secrets of one key in their grace at the same time. A further rotation ends the oldest. */
const MOST_PREVIOUS = 5;
/** Returns when DynamoDB removes an item (TTL): an hour after its end. */
export const ttlAfter = (end: Micros): number => Math.ceil(end / 1e6) + 3600;

/** Name of the list of an account's keys. It contains the account's name, not its id, so list and account can be read in parallel. */
export const accountKeyList = (org: OrganizationId, account: string): string => `${org}#${account}`;
/** Name of the list of a principal's keys. */
export const keyListOf = ({ id, org, name }: Principal): string => (org === undefined ? id : accountKeyList(org, name));

/** Returns a user as the owner of personal keys. */
export const userPrincipal = ({ id, name }: Pick<Principal, 'id' | 'name'>) => ({ kind: 'user' as const, id, name });

export type NewKey = Pick<
  ApiKeyRecord,
  'id' | 'hash' | 'principal' | 'description' | 'createdAt' | 'expiresAt' | 'endsBy' | 'identity' | 'terms'
>;

/** @param expiresAt microseconds; 0 = never */
export const newKey = (
  principal: Principal,
  { secret, description, expiresAt }: { secret: string; description: string; expiresAt: Micros },
  now: Micros,
): NewKey => ({ id: newId(now), hash: hashKey(secret), principal, description, createdAt: now, expiresAt });

/** An active key with its secrets. */
export interface ActiveKey {
  current: ApiKeyRecord;
  /** Earlier secrets that are still in their grace, the newest first. */
  previous: ApiKeyRecord[];
  /** Latest use that earlier versions of the service stored with the secrets, in microseconds; 0 = none. */
  usedEarlierAt: Micros;
}

export interface UsedKey extends ActiveKey {
  /** Latest use of any of the key's secrets, in microseconds; 0 = not used yet. */
  lastUsedAt: Micros;
}

/** Returns the hashes of all secrets of a key. */
export const hashesOf = ({ current, previous }: ActiveKey): string[] => [current, ...previous].map(({ hash }) => hash);

/**
 * Returns the writes that create a key.
 *
 * @param taken result of the transaction if another key has the same secret; without it the transaction throws
 */
export const newKeyWrites = <R = never>(key: NewKey, taken?: (old: Item | undefined) => R): Write<R>[] => [
  putIfAbsent({ ...apiKeyKey(key.hash), ...secretOf(key) }, taken),
  { put: entryItem(key, []) },
];

export const secretOf = (key: NewKey, lastUsedAt: Micros = EPOCH): ApiKeyRecord => ({
  v: 1,
  graceEndsAt: EPOCH,
  revoked: false,
  ...key,
  lastUsedAt,
});

const entryItem = ({ id, hash, principal, expiresAt }: NewKey, previous: string[]): Item => ({
  ...principalKeyKey(keyListOf(principal), id),
  ...({ v: 1, id, hash, previous } satisfies PrincipalKeyRecord),
  ...(expiresAt !== 0 && { ttl: ttlAfter(expiresAt) }),
});

/**
 * Reads the active keys of a principal, the oldest first. Revoked and expired keys are not active
 * (rules/organizations.md#key-endpoints).
 *
 * @param list from {@link keyListOf} or {@link accountKeyList}
 */
export const readKeys = async (table: Table, list: string, now: Micros): Promise<ActiveKey[]> =>
  withSecrets(table, await readEntries(table, list), now);

/** Like {@link readKeys}, with the last uses of the keys. */
export const readUsedKeys = async (table: Table, list: string, now: Micros): Promise<UsedKey[]> =>
  withUses(table, await readEntries(table, list), now);

/** Reads one active key. @returns undefined if the list has no such key, or if the key is revoked or expired */
export const readKey = async (table: Table, list: string, id: string, now: Micros): Promise<ActiveKey | undefined> =>
  (await withSecrets(table, await readEntry(table, list, id), now))[0];

/** Like {@link readKey}, with the last use of the key. */
export const readUsedKey = async (table: Table, list: string, id: string, now: Micros): Promise<UsedKey | undefined> =>
  (await withUses(table, await readEntry(table, list, id), now))[0];

const readEntries = async (table: Table, list: string): Promise<PrincipalKeyRecord[]> =>
  (await table.query({ pk: principalKeyList(list) })).map((item) => PrincipalKeyRecord.parse(item));

/** @returns no entry or one */
async function readEntry(table: Table, list: string, id: string): Promise<PrincipalKeyRecord[]> {
  const item = isId(id) ? await table.get(principalKeyKey(list, id)) : undefined;
  return item ? [PrincipalKeyRecord.parse(item)] : [];
}

async function withSecrets(table: Table, entries: readonly PrincipalKeyRecord[], now: Micros): Promise<ActiveKey[]> {
  const found = await table.getMany(entries.flatMap(({ hash, previous }) => [hash, ...previous].map(apiKeyKey)));
  const secrets = (hashes: readonly string[]) =>
    hashes.flatMap((hash) => {
      const item = found.get(keyText(apiKeyKey(hash)));
      return item ? [ApiKeyRecord.parse(item)] : [];
    });
  return entries.flatMap(({ hash, previous }) => {
    const [current] = secrets([hash]);
    if (!current || current.revoked || isOver(current.expiresAt, now)) return [];
    const earlier = secrets(previous);
    const usedEarlierAt = latestOf(current.lastUsedAt, ...earlier.map((secret) => secret.lastUsedAt));
    const inGrace = earlier.filter(({ revoked, graceEndsAt }) => !revoked && !isOver(graceEndsAt, now));
    return [{ current, previous: inGrace, usedEarlierAt }];
  });
}

async function withUses(table: Table, entries: readonly PrincipalKeyRecord[], now: Micros): Promise<UsedKey[]> {
  const [keys, uses] = await Promise.all([
    withSecrets(table, entries, now),
    table.getMany(entries.map(({ id }) => keyUseKey(id))),
  ]);
  return keys.map((key) => {
    const noted = lastUseOf(uses.get(keyText(keyUseKey(key.current.id))));
    return { ...key, lastUsedAt: latestOf(key.usedEarlierAt, noted) };
  });
}

/**
 * Returns the time of use in an item of `keyUseKey`, in microseconds; 0 if there is no item. Every endpoint function may write
 * these items. An item that does not fit counts as absent, so that it cannot prevent the revocation of its key.
 */
export const lastUseOf = (item: Item | undefined): Micros => KeyUseRecord.safeParse(item).data?.lastUsedAt ?? EPOCH;

const isOver = (end: Micros, now: Micros): boolean => end !== 0 && end <= now;

const asRead = ({ current }: ActiveKey) => ({ ...onlyIf(unchanged(current, 'hash')), refused: again });

/** The new secret of a key. */
interface Rotation {
  /** Hash of the new secret. */
  hash: string;
  /** Microseconds; 0 = never. */
  expiresAt: Micros;
  /** The latest end of the key from now on, in microseconds; undefined = none. */
  endsBy: Micros | undefined;
  /** End of the old secret, in microseconds. */
  graceEndsAt: Micros;
}

/** The old secret ends at its own expiry or at the end of its grace, whichever is earlier (rules/organizations.md#rotation). */
export const graceEnd = ({ current }: ActiveKey, grace: Duration, now: Micros): Micros =>
  current.expiresAt === 0 ? plus(now, grace) : earliestOf(current.expiresAt, plus(now, grace));

/** Returns the writes that give a key a new secret. Id, description and creation time stay. */
export function rotationWrites(key: ActiveKey, { hash, expiresAt, endsBy, graceEndsAt }: Rotation): Write<'again'>[] {
  const { current, previous, usedEarlierAt } = key;
  const { id, principal, description, createdAt } = current;
  const lasting = { id, principal, description, createdAt };
  const next: NewKey = { ...lasting, hash, expiresAt, ...(endsBy !== undefined && { endsBy }) };
  const ended = previous.slice(MOST_PREVIOUS - 1);
  const inGrace = [current.hash, ...previous.slice(0, MOST_PREVIOUS - 1).map((secret) => secret.hash)];
  return [
    { put: entryItem(next, inGrace), ...asRead(key) },
    putIfAbsent({ ...apiKeyKey(hash), ...secretOf(next, usedEarlierAt) }, again),
    { update: apiKeyKey(current.hash), ...change({ set: { graceEndsAt } }) },
    ...ended.map((secret) => revocation(secret.hash)),
  ];
}

/** Returns the writes that end a key with all its secrets. The secrets stay stored as revoked, so nobody can add one again. */
export const revocationWrites = (key: ActiveKey): Write<'again'>[] => [
  { remove: principalKeyKey(keyListOf(key.current.principal), key.current.id), ...asRead(key) },
  ...hashesOf(key).map(revocation),
];

const revocation = (hash: string): Write => ({ update: apiKeyKey(hash), ...change({ set: { revoked: true } }) });
