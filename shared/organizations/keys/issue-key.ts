import { newId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import type { Uses } from '#shared/table/uses.ts';
import { keyListOf, MOST_KEYS, type NewKey, newKeyWrites, readKeys } from '../records/api-keys.ts';
import { tooManyKeys } from '../rules/sentences.ts';
import { endOfKey } from './key-ends.ts';
import { findKeyOwner, type KeyManager, subjectOf } from './key-owner.ts';

/** What issuing a personal key writes. */
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
    const {
      principal,
      audited,
      claim,
      guard,
      latestEnd: latest,
    } = await findKeyOwner(table, by, { givesSecret: true });
    const now = clock.now();
    const expiresAt = endOfKey(end, { otherwise: 0, latest, now });
    const present = await readKeys(table, keyListOf(principal), now);
    if (present.length >= MOST_KEYS) throw tooManyKeys({ count: present.length });
    const key = {
      id: newId(now),
      hash: hashKey(secret),
      principal,
      description,
      createdAt: now,
      expiresAt,
      ...(latest !== undefined && { endsBy: latest }),
    };
    const outcome = await table.transact<'again'>([
      ...claim({ key, secret: '' }),
      ...newKeyWrites(key, again),
      ...guard,
      ...audited({
        kind: 'api_key.issued',
        subject: subjectOf(key),
        after: { owner: principal.name, expires_at: toSeconds(expiresAt) },
      }),
    ]);
    return outcome === 'again' ? outcome : { key, secret };
  });
}
