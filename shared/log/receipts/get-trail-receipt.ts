import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { isPlausibleName } from '#shared/evidence/records/flows.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { findTrailId, momentEntry, momentOf, storedMoment } from '#shared/evidence/records/moments.ts';
import { readItemsBesideFlow } from '#shared/evidence/records/trails.ts';
import { keyText } from '#shared/table/table.ts';
import { readClaims } from '../records/claims.ts';
import { receiptCheckpointKeys } from '../records/log-state.ts';
import { noMoment } from '../rules/sentences.ts';
import { type OpenedReceipt, openReceipt } from './open-receipt.ts';
import { momentOpenings } from './openings.ts';
import { receiptOf } from './receipt.ts';

/**
 * Gets the receipt of a moment (rules/log.md#receipts).
 *
 * @param place `number` of the moment, from 1 on
 * @param isOpened whether the texts of the entry are read as well
 * @returns null if no checkpoint covers the entry yet
 * @throws RecordGone if the trail exists and the moment does not; `unlogged` is the error if the log has no such entry either
 * @throws ServiceError `not-found` if there is no such trail, `broken` if the record differs from the entry
 */
export async function getTrailReceipt(
  stores: Pick<Stores, 'table' | 'objects'>,
  { id: org, name }: Organization,
  { flow: flowName, trail, number }: { flow: string; trail: string; number: number },
  isOpened: boolean,
): Promise<OpenedReceipt | null> {
  const { table } = stores;
  const { flow, beside: found } = await readItemsBesideFlow(table, org, flowName, (id) =>
    isPlausibleName(trail) ? [momentKey(org, id, trail, number), ...receiptCheckpointKeys(org)] : [],
  );
  const item = flow && found.get(keyText(momentKey(org, flow.id, trail, number)));
  if (!item) {
    const unlogged = noMoment({ flow: flowName, trail, number, org: name });
    if (!flow || !isPlausibleName(trail)) throw unlogged;
    const id = await findTrailId(table, org, flow.id, trail);
    throw id ? new RecordGone(momentOf({ flow: flow.id, trail: id }, number), { unlogged }) : unlogged;
  }
  // The receipt compares the entry with the log, which names the entry in its error.
  const moment = storedMoment(item);
  const subject = { kind: 'trail' as const, flow: flow.id, trail: moment.trail, number };
  const receipt = readClaims(table, org, [subject]).then(([claim = null]) =>
    receiptOf(stores, org, momentEntry(org, moment), claim, found),
  );
  return openReceipt(receipt, isOpened ? () => momentOpenings(stores, org, moment) : null);
}
