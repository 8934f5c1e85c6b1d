import { newId } from '#shared/base/ids.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import { newKeyWrites } from '../records/api-keys.ts';
import { OPERATOR } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { personalLog } from '../records/personal-log.ts';
import type { IssuedKey } from './issue-key.ts';
import { subjectOf } from './key-owner.ts';

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
  const principal = { kind: 'user' as const, id: owner.id, name: user };
  const key = { id: newId(now), hash: hashKey(secret), principal, description, createdAt: now, expiresAt };
  const audited = await personalLog(table, user, { at: now, actor: OPERATOR });
  await table.transact([
    ...newKeyWrites(key),
    ...audited({
      kind: 'api_key.issued',
      subject: subjectOf(key),
      after: { owner: user, expires_at: toSeconds(expiresAt) },
    }),
  ]);
  return { key, secret };
}
