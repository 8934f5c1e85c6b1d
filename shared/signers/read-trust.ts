import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { keyText } from '#shared/table/table.ts';
import { startPublicRoot } from './read-public-root.ts';
import { recallsIn } from './read-recalls.ts';
import { recallList, signerList } from './records/keys.ts';
import { TRUST_ROOTS } from './records/versioned.ts';
import type { Recall } from './rules/recalls.ts';
import { PUBLIC_ROOT, SignerName, SignerRecord } from './rules/records.ts';
import type { TrustData } from './rules/verify-as-signer.ts';

/** Whose signatures count, and which of them are recalled. */
export interface Trusted extends TrustData {
  recalls: readonly Recall[];
}

/**
 * Reads whose signatures count: signers and recalls with one call, and the trust roots that the signers name with one more. The public root
 * is one of them, unless this process read it within the last hour.
 *
 * @param only name of the one signer to read; undefined = all
 * @throws ServiceError `invalid` if there never was a signer of this name
 */
export async function readTrust(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
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
  const shared = names.delete(PUBLIC_ROOT) ? startPublicRoot(table, clock.now()) : undefined;
  const keys = [...names].map((name) => TRUST_ROOTS.keyOf(org, name));
  const found = await table.getMany([...keys, ...(shared?.keys ?? [])]);
  const roots = keys.flatMap((key) => found.get(keyText(key)) ?? []).map((item) => TRUST_ROOTS.schema.parse(item));
  return { signers, roots, publicRoot: shared?.found(found), recalls: recallsIn(recalls) };
}
