import { isId } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, TrailName } from '#shared/base/names.ts';
import { RecordGone, recordGone } from '#shared/base/proofs/record-gone.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { readWithEnvironment } from '#shared/environments/records/environments.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import { EvaluationRecord } from '#shared/evaluations/records/evaluations.ts';
import { evaluationKey } from '#shared/evaluations/records/keys.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { isPlausibleName } from '#shared/evidence/records/flows.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { findTrailId, momentEntry, momentOf, storedMoment } from '#shared/evidence/records/moments.ts';
import { readItemsBesideFlow } from '#shared/evidence/records/trails.ts';
import { AuditRecord, auditEntry } from '#shared/organizations/records/audit.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText } from '#shared/table/table.ts';
import { claimKey, claimOf, readClaims } from '../records/claims.ts';
import { receiptCheckpointKeys } from '../records/log-state.ts';
import { noAuditEntry, noMoment, noSnapshot } from '../rules/sentences.ts';
import { auditOpenings, evaluationOpenings, momentOpenings, snapshotOpenings } from './openings.ts';
import { type OpenedReceipt, openReceipt, receiptOf } from './receipt.ts';

// All receipts are null until a checkpoint covers their entry. `isOpened`: whether the texts of the entry are read as well.

/**
 * Gets the receipt of an entry of the audit log (rules/log.md#receipts).
 *
 * @throws ServiceError `not-found` if there is no such entry, `broken` if the log has it and its record is gone or differs
 */
export async function getAuditReceipt(
  stores: Reading,
  { id: org, name }: Organization,
  id: string,
  isOpened: boolean,
): Promise<OpenedReceipt | null> {
  if (!isId(id)) throw noAuditEntry({ org: name, entry: id });
  const [recordKey, claimed] = [auditKey(org, monthOf(id), id), claimKey(org, { kind: 'audit', entry: id })];
  const found = await stores.table.getMany([recordKey, claimed, ...receiptCheckpointKeys(org)]);
  const item = found.get(keyText(recordKey));
  const claim = claimOf(found.get(keyText(claimed)));
  if (!item) throw claim ? recordGone({ index: claim.index }) : noAuditEntry({ org: name, entry: id });
  const record = AuditRecord.parse(item);
  const receipt = receiptOf(stores, org, auditEntry(org, record), claim, found);
  return openReceipt(receipt, isOpened ? async () => auditOpenings(record) : null);
}

/**
 * Gets the receipt of an evaluation (rules/log.md#receipts). One that has not ended has no entry yet.
 *
 * @throws ServiceError `not-found` if there is no such evaluation, `broken` if the log has it and its record is gone or differs
 */
export async function getEvaluationReceipt(
  stores: Reading,
  { id: org }: Organization,
  id: string,
  isOpened: boolean,
): Promise<OpenedReceipt | null> {
  if (!isId(id)) throw evaluationNotFound();
  const [recordKey, claimed] = [evaluationKey(org, id), claimKey(org, { kind: 'evaluation', evaluation: id })];
  const found = await stores.table.getMany([recordKey, claimed, ...receiptCheckpointKeys(org)]);
  const item = found.get(keyText(recordKey));
  const claim = claimOf(found.get(keyText(claimed)));
  if (!item) throw claim ? recordGone({ index: claim.index }) : evaluationNotFound();
  const record = EvaluationRecord.parse(item);
  const entry = evaluationEntry(org, record);
  if (!entry) return null;
  const receipt = receiptOf(stores, org, entry, claim, found);
  return openReceipt(receipt, isOpened ? () => evaluationOpenings(stores, org, record) : null);
}

/**
 * Gets the receipt of a snapshot (rules/log.md#receipts).
 *
 * @throws ServiceError `not-found` if there is no such environment or snapshot, `broken` if the log has it and its record is gone
 *   or differs
 */
export async function getEnvironmentReceipt(
  stores: Reading,
  { id: org, name }: Organization,
  { env, number }: { env: EnvironmentName; number: number },
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

/**
 * Gets the receipt of a moment (rules/log.md#receipts).
 *
 * @throws RecordGone if the trail exists and the moment does not; `unlogged` is the error if the log has no such entry either
 * @throws ServiceError `not-found` if there is no such trail, `broken` if the record differs from the entry
 */
export async function getTrailReceipt(
  stores: Reading,
  { id: org, name }: Organization,
  { flow: flowName, trail, number }: { flow: FlowName; trail: TrailName; number: number },
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
