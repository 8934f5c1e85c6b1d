import { again, retrying } from '#shared/base/retry.ts';
import { EPOCH, type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { mintKey } from '#shared/callers/credentials.ts';
import type { Uses } from '#shared/table/uses.ts';
import {
  keyListOf,
  MOST_KEYS,
  type NewKey,
  newKey,
  newKeyWrites,
  readKeys,
  userPrincipal,
} from '../records/api-keys.ts';
import { type AuditedChange, OPERATOR } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { personalLog } from '../records/personal-log.ts';
import { tooManyKeys } from '../rules/sentences.ts';
import { endOfKey } from './key-ends.ts';
import { findKeyOwner, type KeyManager, subjectOf } from './key-owner.ts';

export const ISSUE_KEY: Uses = { writes: ['@KEY', '@KEYS', 'AUDIT'] };
/** What issuing a key of a service account writes. The account counts its keys. */
export const ISSUE_ACCOUNT_KEY: Uses = { writes: ['@KEY', '@KEYS', 'ACCOUNT', 'AUDIT'] };

/** A key with its secret. The secret is empty in the claim of the request, because it is not stored. */
export interface IssuedKey {
  key: Pick<NewKey, 'id' | 'description' | 'createdAt' | 'expiresAt'>;
  secret: string;
}

/**
 * Issues a key. The outcome is the only place that contains the secret (rules/organizations.md#idempotent-key-requests).
 *
 * @param end when the key ends, in seconds; 0 = never; undefined and null = as late as possible
 * @throws ServiceError `invalid` for an end in the past or after the latest one, or if the owner has the maximum of active
 *   keys, and the errors of {@link findKeyOwner}
 */
export async function issueKey(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: KeyManager<IssuedKey>,
  description: string,
  end: number | null | undefined,
): Promise<IssuedKey> {
  const secret = mintKey();
  return retrying(async () => {
    const owner = await findKeyOwner(table, by, { givesSecret: true });
    const { principal, latestEnd: latest } = owner;
    const now = clock.now();
    const expiresAt = endOfKey(end, { otherwise: EPOCH, latest, now });
    const present = await readKeys(table, keyListOf(principal), now);
    if (present.length >= MOST_KEYS) throw tooManyKeys({ count: present.length });
    const key = {
      ...newKey(principal, { secret, description, expiresAt }, now),
      ...(latest !== undefined && { endsBy: latest }),
    };
    const outcome = await table.transact<'again'>([
      ...owner.claim({ key, secret: '' }),
      ...newKeyWrites(key, again),
      ...owner.guard,
      ...owner.audited(keyIssued(key)),
    ]);
    return outcome === 'again' ? outcome : { key, secret };
  });
}

/**
 * Issues a key of a user for the operator. Only the hash is stored, so the outcome is the only place that has the secret.
 *
 * @param expiresAt microseconds; 0 = never
 * @returns `unknown` if there is no such user; `in the past` for an end that passed
 */
export async function issueKeyOfUser(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { user, description, expiresAt }: { user: string; description: string; expiresAt: Micros },
): Promise<IssuedKey | 'unknown' | 'in the past'> {
  const owner = await new Directory(table).user(user);
  if (!owner) return 'unknown';
  const now = clock.now();
  if (expiresAt !== 0 && expiresAt <= now) return 'in the past';
  const secret = mintKey();
  const key = newKey(userPrincipal(owner), { secret, description, expiresAt }, now);
  const audited = await personalLog(table, user, { at: now, actor: OPERATOR });
  await table.transact([...newKeyWrites(key), ...audited(keyIssued(key))]);
  return { key, secret };
}

const keyIssued = (key: NewKey): AuditedChange => ({
  kind: 'api_key.issued',
  subject: subjectOf(key),
  after: { owner: key.principal.name, expires_at: toSeconds(key.expiresAt) },
});
