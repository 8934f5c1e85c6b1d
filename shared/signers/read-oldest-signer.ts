import type { OrganizationId } from '#shared/base/ids.ts';
import { earliestOf, type Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { signerList } from './records/keys.ts';
import { SignerRecord } from './rules/records.ts';

/** Reads since when an organization has signers, with one Query. Deleted signers count. @returns null if it never had one */
export async function readOldestSigner(table: Table, org: OrganizationId): Promise<Micros | null> {
  const items = await table.query({ pk: signerList(org) });
  // One that cannot be read hides none of the others.
  const times = items.flatMap((item) => SignerRecord.safeParse(item).data?.createdAt ?? []);
  return times.length === 0 ? null : earliestOf(...times);
}
