import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readVersioned, readVersionedItems, readVersionedRecords, SIGNERS, TRUST_ROOTS } from './records/versioned.ts';
import { MOST_SIGNERS, PUBLIC_ROOT, SignerRecord } from './rules/records.ts';
import type { TrustData } from './rules/verify-as-signer.ts';

/**
 * Reads whose signatures count: the signers with one Query, and the trust roots that they name with one more call. Signers of the
 * public root need none.
 *
 * @param only name of the one signer to read; undefined = all
 * @throws ServiceError `invalid` if there never was a signer of this name
 */
export async function readTrust(
  { table }: Pick<Stores, 'table'>,
  org: Pick<Organization, 'id'>,
  only: string | undefined,
): Promise<TrustData> {
  const signers =
    only === undefined ? await readSigners(table, org) : [await readVersioned(SIGNERS, table, org.id, only)];
  const known = signers.filter((signer) => signer !== undefined);
  if (only !== undefined && known.length === 0) throw invalidField('signer', 'There is no such signer', only);
  const names = new Set(known.filter(({ deleted }) => !deleted).map(({ root }) => root));
  names.delete(PUBLIC_ROOT);
  return { signers: known, roots: await readVersionedRecords(TRUST_ROOTS, table, org.id, [...names]) };
}

async function readSigners(table: Stores['table'], org: Pick<Organization, 'id'>): Promise<SignerRecord[]> {
  // Two writers at the same time can exceed the limit by one.
  const items = await readVersionedItems(SIGNERS, table, org.id, { limit: 2 * MOST_SIGNERS });
  return items.map((item) => SignerRecord.parse(item));
}
