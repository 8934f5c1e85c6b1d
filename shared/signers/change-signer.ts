import { retrying } from '#shared/base/retry.ts';
import { addError, invalidField, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readVersioned, readVersionedItems, SIGNERS, TRUST_ROOTS } from './records/versioned.ts';
import { identityErrors } from './rules/identity.ts';
import { MOST_SIGNERS, PUBLIC_ROOT, type SignerRecord } from './rules/records.ts';
import { tooManySigners, unknownSigner } from './rules/sentences.ts';
import { type Saved, saveVersion, type Terms } from './save-version.ts';

/** What saving and deleting a signer writes. */
export const CHANGE_SIGNER: Uses = { writes: ['SIGNER', 'AUDIT'] };

/** A signer as a caller gives it. Its claims are sorted by name. */
interface GivenSigner extends Omit<Terms<SignerRecord>, 'deleted'> {
  name: string;
}

/**
 * Creates a signer, or adds a version to the one that has the name (rules/verified-evidence.md#signers). If nothing changes, nothing is
 * written. A deleted signer counts again.
 *
 * @throws ServiceError `invalid` if there is no such trust root, if the identity could be that of a stranger, or if the signer would be
 *   one too many
 */
export async function putSigner(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<SignerRecord>>,
  { name, ...given }: GivenSigner,
): Promise<Saved<SignerRecord>> {
  const { table } = stores;
  const isPublic = given.root === PUBLIC_ROOT;
  return retrying(async () => {
    const [before, root] = await Promise.all([
      readVersioned(SIGNERS, table, by.org.id, name),
      isPublic ? undefined : readVersioned(TRUST_ROOTS, table, by.org.id, given.root),
    ]);
    if (!isPublic && (!root || root.deleted)) {
      throw invalidField('trust_root', 'There is no such trust root', given.root);
    }
    const errors = noErrors();
    for (const [field, text] of identityErrors(given, root?.kind ?? 'sigstore')) addError(errors, field, text);
    refuseIfAny(errors);
    if (!before) {
      const { length: count } = await readVersionedItems(SIGNERS, table, by.org.id, { limit: MOST_SIGNERS });
      if (count >= MOST_SIGNERS) throw tooManySigners({ count });
    }
    return saveVersion(stores, by, SIGNERS, { name, before, terms: { ...given, deleted: false } });
  });
}

/**
 * Deletes a signer with a version of its own, so that its versions stay. Nothing is written if it is deleted already.
 *
 * @throws ServiceError `not-found` if no signer has the name
 */
export async function deleteSigner(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<SignerRecord>>,
  name: string,
): Promise<Saved<SignerRecord>> {
  return retrying(async () => {
    const before = await readVersioned(SIGNERS, stores.table, by.org.id, name);
    if (!before) throw unknownSigner({ signer: name, org: by.org.name });
    return saveVersion(stores, by, SIGNERS, { name, before, terms: { ...before, deleted: true } });
  });
}
