import { retrying } from '#shared/base/retry.ts';
import { type Duration, type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import type { Uses } from '#shared/table/uses.ts';
import { graceEnd, hashesOf, keyListOf, readKey, rotationWrites } from '../records/api-keys.ts';
import { keyNotFound } from '../rules/sentences.ts';
import type { IssuedKey } from './issue-key.ts';
import { earlierEnd, endOfKey } from './key-ends.ts';
import { findKeyOwner, type KeyManager, subjectOf } from './key-owner.ts';

export const ROTATE_KEY: Uses = { writes: ['@KEY', '@KEYS', 'AUDIT'] };

interface Rotation {
  /** How long the present secret still works, in microseconds. */
  grace: Duration;
  /** When the key ends, in seconds; 0 = never; undefined and null = as before. */
  end: number | null | undefined;
}

/** A key with its new secret. */
export interface RotatedKey extends IssuedKey {
  /** End of the previous secret, in microseconds. */
  graceEndsAt: Micros;
  /** Hashes of the secrets that the key had before. */
  changed: readonly string[];
}

/**
 * Gives a key a new secret. The id stays, and the old secret works until the end of its grace
 * (rules/organizations.md#rotation).
 *
 * @throws ServiceError `invalid` for an end in the past or after the latest one, `not-found` for an unknown key, and the
 *   errors of {@link findKeyOwner}
 */
export async function rotateKey(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: KeyManager<RotatedKey>,
  id: string,
  { grace, end }: Rotation,
): Promise<RotatedKey> {
  const secret = mintKey();
  return retrying(async () => {
    const { principal, audited, claim, latestEnd } = await findKeyOwner(table, by, { givesSecret: true });
    const key = await readKey(table, keyListOf(principal), id, clock.now());
    if (!key) throw keyNotFound();
    const { current } = key;
    const now = clock.now();
    const endsBy = earlierEnd(current.endsBy, latestEnd);
    const expiresAt = endOfKey(end, { otherwise: current.expiresAt, latest: endsBy, now });
    const graceEndsAt = graceEnd(key, grace, now);
    const rotated = { key: { ...current, expiresAt }, secret, graceEndsAt, changed: hashesOf(key) };
    const outcome = await table.transact<'again'>([
      ...claim({ ...rotated, secret: '' }),
      ...rotationWrites(key, { hash: hashKey(secret), expiresAt, endsBy, graceEndsAt }),
      ...audited({
        kind: 'api_key.rotated',
        subject: subjectOf(current),
        before: { owner: principal.name, expires_at: toSeconds(current.expiresAt) },
        after: { expires_at: toSeconds(expiresAt), grace_period_expires_at: toSeconds(graceEndsAt) },
      }),
    ]);
    return outcome === 'again' ? outcome : rotated;
  });
}
