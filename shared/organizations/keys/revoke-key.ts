import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type ActiveKey, hashesOf, keyListOf, readKey, readKeys, revocationWrites } from '../records/api-keys.ts';
import { keyNotFound } from '../rules/sentences.ts';
import { findKeyOwner, type KeyManager, type KeyOwner, subjectOf } from './key-owner.ts';

export const REVOKE_KEY: Uses = { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS'] };

/** Hashes of the secrets that ended. */
export interface RevokedKeys {
  ended: readonly string[];
}

/**
 * Revokes a key: all its secrets end at once (rules/organizations.md#revocation).
 *
 * @throws ServiceError `not-found` for an unknown key and for a key that is revoked already, and the errors of
 *   {@link findKeyOwner}
 */
export async function revokeKey(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: KeyManager<RevokedKeys>,
  id: string,
): Promise<RevokedKeys> {
  return retrying(async () => {
    const owner = await findKeyOwner(table, by, { givesSecret: false });
    const key = await readKey(table, keyListOf(owner.principal), id, clock.now());
    if (!key) throw keyNotFound();
    const revoked = { ended: hashesOf(key) };
    const outcome = await table.transact<'again'>([
      ...owner.claim(revoked),
      ...revocationWrites(key),
      ...revocationEntry(owner, key),
    ]);
    return outcome === 'again' ? outcome : revoked;
  });
}

type Owner = Pick<KeyOwner<never>, 'principal' | 'audited'>;

/** Revokes all active keys of an owner, one transaction after the other. @returns the hashes of their secrets */
export async function revokeAllKeys(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  owner: Owner,
): Promise<string[]> {
  const hashes: string[] = [];
  await retrying(async () => {
    for (const key of await readKeys(table, keyListOf(owner.principal), clock.now())) {
      const outcome = await table.transact([...revocationWrites(key), ...revocationEntry(owner, key)]);
      if (outcome === 'again') return outcome;
      hashes.push(...hashesOf(key));
    }
    return 'done';
  });
  return hashes;
}

const revocationEntry = ({ principal, audited }: Owner, { current }: ActiveKey): Write[] =>
  audited({ kind: 'api_key.revoked', subject: subjectOf(current), before: { owner: principal.name } });
