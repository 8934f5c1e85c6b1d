import { retrying } from '#shared/base/retry.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Uses } from '#shared/table/uses.ts';
import { RECALLS, readVersioned, readVersionedItems, SIGNERS, TRUST_ROOTS } from './records/versioned.ts';
import { MOST_RECALLS, type RecallRecord, type RecallTarget } from './rules/recall-records.ts';
import { PUBLIC_ROOT } from './rules/records.ts';
import { tooManyRecalls, unknownRecall } from './rules/sentences.ts';
import { type Saved, saveVersion, type Terms } from './save-version.ts';

/** What saving and deleting a recall writes. */
export const CHANGE_RECALL: Uses = { writes: ['RECALL', 'AUDIT'] };

/** A recall as a caller gives it. */
interface GivenRecall extends Omit<Terms<RecallRecord>, 'deleted'> {
  name: string;
}

/**
 * Recalls evidence, or adds a version to the recall that has the name (rules/verified-evidence.md#recalls). If nothing changes, nothing
 * is written. A deleted recall counts again.
 *
 * @throws ServiceError `invalid` if the recall names a signer or a trust root that there never was, or would be one too many
 */
export async function putRecall(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<RecallRecord>>,
  { name, ...given }: GivenRecall,
): Promise<Saved<RecallRecord>> {
  const { table } = stores;
  return retrying(async () => {
    const [before] = await Promise.all([
      readVersioned(RECALLS, table, by.org.id, name),
      requireKnown(stores, by.org, given.target),
    ]);
    if (!before) {
      const { length: count } = await readVersionedItems(RECALLS, table, by.org.id, { limit: MOST_RECALLS });
      if (count >= MOST_RECALLS) throw tooManyRecalls({ count });
    }
    return saveVersion(stores, by, RECALLS, { name, before, terms: { ...given, deleted: false } });
  });
}

/**
 * Compares the names of a recall with the records, deleted ones too: what they verified stays.
 * @throws ServiceError `invalid` if there was never such a signer, trust root or version
 */
export async function requireKnown(
  { table }: Pick<Stores, 'table'>,
  org: Pick<Organization, 'id'>,
  target: RecallTarget,
): Promise<void> {
  if (target.kind === 'signer') {
    const signer = await readVersioned(SIGNERS, table, org.id, target.signer);
    if (!signer) throw invalidField('signer', 'There is no such signer', target.signer);
  }
  if (target.kind !== 'root') return;
  if (target.name === PUBLIC_ROOT) {
    if (target.version !== null) {
      throw invalidField('root.version', 'The public root has no versions. Leave the version out', target.version);
    }
    return;
  }
  const root = await readVersioned(TRUST_ROOTS, table, org.id, target.name);
  if (!root) throw invalidField('root.name', 'There is no such trust root', target.name);
  if (target.version !== null && target.version > root.version) {
    throw invalidField('root.version', `The trust root has ${root.version} versions`, target.version);
  }
}

/**
 * Deletes a recall with a version of its own, so that its versions stay. Nothing is written if it is deleted already.
 *
 * @throws ServiceError `not-found` if no recall has the name
 */
export async function deleteRecall(
  stores: Pick<Stores, 'table' | 'clock'>,
  by: Author<Saved<RecallRecord>>,
  name: string,
): Promise<Saved<RecallRecord>> {
  return retrying(async () => {
    const before = await readVersioned(RECALLS, stores.table, by.org.id, name);
    if (!before) throw unknownRecall({ recall: name, org: by.org.name });
    return saveVersion(stores, by, RECALLS, { name, before, terms: { ...before, deleted: true } });
  });
}
