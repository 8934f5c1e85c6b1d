import { hash } from 'node:crypto';
import { retrying } from '#shared/base/retry.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { SignatureError } from '#shared/signatures/errors.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { readTrustRoot } from '#shared/signatures/trust-root.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readVersioned, readVersionedItems, TRUST_ROOTS } from './records/versioned.ts';
import { MOST_ROOTS, PUBLIC_ROOT, type TrustRootRecord } from './rules/records.ts';
import { publicRootStays, tooManyRoots, unknownRoot } from './rules/sentences.ts';
import { type Saved, saveVersion } from './save-version.ts';

/** What saving and deleting a trust root writes. */
export const CHANGE_ROOT: Uses = { writes: ['TRUSTROOT', 'AUDIT'] };

/** A trust root as a caller gives it. */
interface GivenRoot {
  name: string;
  kind: TrustRootRecord['kind'];
  text: string;
  description: string | null;
}

/**
 * Creates a trust root, or adds a version to the one that has the name (rules/verified-evidence.md#stored-trust-roots). If nothing
 * changes, nothing is written. A deleted root counts again.
 *
 * @throws ServiceError `invalid` if the text cannot be trusted, if the name is that of the public root, or if the root would be one
 *   too many
 */
export async function putTrustRoot(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<TrustRootRecord>>,
  { name, kind, text, description }: GivenRoot,
): Promise<Saved<TrustRootRecord>> {
  if (name === PUBLIC_ROOT) throw publicRootStays();
  requireUsable(kind, text);
  const terms = { kind, text, digest: hash('sha256', text), description, deleted: false };
  return retrying(async () => {
    const before = await readVersioned(TRUST_ROOTS, stores.table, by.org.id, name);
    if (!before) {
      const { length: count } = await readVersionedItems(TRUST_ROOTS, stores.table, by.org.id, { limit: MOST_ROOTS });
      if (count >= MOST_ROOTS) throw tooManyRoots({ count });
    }
    return saveVersion(stores, by, TRUST_ROOTS, { name, before, terms });
  });
}

function requireUsable(kind: TrustRootRecord['kind'], text: string): void {
  try {
    if (kind === 'sigstore') readTrustRoot(text);
    else readPublicKey(text);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw invalidField(kind === 'sigstore' ? 'trusted_root' : 'public_key', error.message, text);
  }
}

/**
 * Deletes a trust root with a version of its own, so that its versions stay. Nothing is written if it is deleted already.
 *
 * @throws ServiceError `not-found` if no trust root has the name
 */
export async function deleteTrustRoot(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<TrustRootRecord>>,
  name: string,
): Promise<Saved<TrustRootRecord>> {
  return retrying(async () => {
    const before = await readVersioned(TRUST_ROOTS, stores.table, by.org.id, name);
    if (!before) throw unknownRoot({ root: name, org: by.org.name });
    return saveVersion(stores, by, TRUST_ROOTS, { name, before, terms: { ...before, deleted: true } });
  });
}
