import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { recallsIn } from './read-recalls.ts';
import { recallList, signerList } from './records/keys.ts';
import { readVersionedRecords, TRUST_ROOTS } from './records/versioned.ts';
import type { Recall } from './rules/recalls.ts';
import { PUBLIC_ROOT, SignerName, SignerRecord } from './rules/records.ts';
import type { TrustData } from './rules/verify-as-signer.ts';

/** Whose signatures count, and which of them are recalled. */
export interface Trusted extends TrustData {
  recalls: readonly Recall[];
}

/**
 * Reads whose signatures count: signers and recalls with one call, and the trust roots that the signers name with one more. Signers of
 * the public root need none.
 *
 * @param only name of the one signer to read; undefined = all
 * @throws ServiceError `invalid` if there never was a signer of this name
 */
export async function readTrust(
  { table }: Pick<Stores, 'table'>,
  { id: org }: Pick<Organization, 'id'>,
  only: string | undefined,
): Promise<Trusted> {
  const pk = signerList(org);
  const isName = only === undefined || SignerName.safeParse(only).success;
  const [items = [], recalls = []] = isName
    ? await table.queryEach([{ pk, ...(only !== undefined && { from: only, to: only }) }, { pk: recallList(org) }])
    : [];
  const signers = items.map((item) => SignerRecord.parse(item));
  if (only !== undefined && signers.length === 0) throw invalidField('signer', 'There is no such signer', only);
  const names = new Set(signers.filter(({ deleted }) => !deleted).map(({ root }) => root));
  names.delete(PUBLIC_ROOT);
  const roots = await readVersionedRecords(TRUST_ROOTS, table, org, [...names]);
  return { signers, roots, recalls: recallsIn(recalls) };
}
