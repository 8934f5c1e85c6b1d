import { recordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { readWithEnvironment } from '#shared/environments/records/environments.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { keyText } from '#shared/table/table.ts';
import { claimKey, claimOf } from '../records/claims.ts';
import { receiptCheckpointKeys } from '../records/log-state.ts';
import { noSnapshot } from '../rules/sentences.ts';
import { type OpenedReceipt, openReceipt } from './open-receipt.ts';
import { snapshotOpenings } from './openings.ts';
import { receiptOf } from './receipt.ts';

/**
 * Gets the receipt of a snapshot (rules/log.md#receipts).
 *
 * @param number of the snapshot, from 1 on
 * @param isOpened whether the texts of the entry are read as well
 * @returns null if no checkpoint covers the entry yet
 * @throws ServiceError `not-found` if there is no such environment or snapshot, `broken` if the log has it and its record is gone
 *   or differs
 */
export async function getEnvironmentReceipt(
  stores: Pick<Stores, 'table' | 'objects'>,
  { id: org, name }: Organization,
  { env, number }: { env: string; number: number },
  isOpened: boolean,
): Promise<OpenedReceipt | null> {
  const { table } = stores;
  const read = await readWithEnvironment(table, org, env, (environment) => {
    const content = isOpened ? [snapshotContentKey(org, environment, number)] : [];
    const claim = claimKey(org, { kind: 'environment', environment, number });
    return table.getMany([snapshotKey(org, environment, number), claim, ...content, ...receiptCheckpointKeys(org)]);
  });
  if (!read) throw unknownEnvironment({ env, org: name });
  const { head, beside: found } = read;
  const item = found.get(keyText(snapshotKey(org, head.id, number)));
  const claim = claimOf(found.get(keyText(claimKey(org, { kind: 'environment', environment: head.id, number }))));
  if (!item) throw claim ? recordGone({ index: claim.index }) : noSnapshot({ env, org: name, number });
  const snapshot = storedSnapshot(item);
  const receipt = receiptOf(stores, org, snapshotEntry(org, head.id, snapshot), claim, found);
  const content = found.get(keyText(snapshotContentKey(org, head.id, number)));
  return openReceipt(receipt, isOpened ? () => snapshotOpenings(stores, org, head.id, snapshot, content) : null);
}
