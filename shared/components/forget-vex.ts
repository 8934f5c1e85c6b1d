import type { OrganizationId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { AttestationVex } from '#shared/evidence/records/attestation-components.ts';
import type { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import type { Table } from '#shared/table/table.ts';
import { readVexPlaces } from './records/vex.ts';

/** Items that one transaction removes, and transactions at the same time. */
const AT_ONCE = 50;
const WIDTH = 4;

/** What an attestation says of its statements after an erasure. */
export const ERASED_VEX: AttestationVex = { state: 'erased', count: null, leftOut: null, why: null };

/**
 * Removes the statements of an attestation from the index (rules/erasure.md#components). What says where they are goes last, so repeating
 * the call finishes what an interrupted one began.
 */
export async function forgetVex(
  table: Table,
  org: OrganizationId,
  record: Pick<AttestationRecord, 'id' | 'flow' | 'trail'>,
): Promise<void> {
  for (const { item, keys } of await readVexPlaces(table, org, record)) {
    await inParallel(batchesOf(keys, AT_ONCE), WIDTH, (some) => table.transact(some.map((remove) => ({ remove }))));
    await table.write({ remove: { pk: item.pk, sk: item.sk } });
  }
}
