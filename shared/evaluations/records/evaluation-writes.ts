import * as z from 'zod';
import { type AttestationId, type Id, OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { PreparedBody } from '#shared/bodies/bodies.ts';
import { entryWrite } from '#shared/series/series.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { EVALUATIONS, type EvaluationRecord, OVERDUE, type Proof, readEvaluation } from './evaluations.ts';
import { evaluationKey, pendingEvaluationKey, pendingEvaluations } from './keys.ts';

/** A pending evaluation whose message is under way is left alone for so long. */
const LOOKED_AT_AFTER: Micros = 60_000_000;

/** What is there while somebody still has to work on an evaluation; one item, whose key never moves. */
const pendingKey = (org: OrganizationId, { id, requested }: Pick<EvaluationRecord, 'id' | 'requested'>) =>
  pendingEvaluationKey(requested + LOOKED_AT_AFTER, org, id);

/**
 * The writes that ask for an evaluation: its record, its place in the list, and that somebody has to work on it.
 * @param entry id of the entry, minted for this attempt
 */
export const newEvaluationWrites = (
  org: OrganizationId,
  record: EvaluationRecord,
  entry: Id,
  bodies: readonly PreparedBody[],
): Write[] => [
  putIfAbsent({ ...evaluationKey(org, record.id), v: 1, ...record }),
  entryWrite(org, EVALUATIONS, entry, { r: record.id }),
  { put: { ...pendingKey(org, record), v: 1, org, id: record.id } },
  ...bodies.flatMap(({ writes }) => writes),
];

/** How an evaluation ended. */
export type Ending = Pick<EvaluationRecord, 'status' | 'result' | 'error'> & {
  proof: Proof | null;
  input: PreparedBody | null;
  bodies: readonly PreparedBody[];
};

/**
 * Ends an evaluation, once: only while it is pending, and a completion only before its deadline. What still has to be
 * done for it, its decision, keeps it among the pending ones.
 * @returns `ended` where it had an end already, or is too late for this one
 */
export async function endEvaluation(
  table: Table,
  org: OrganizationId,
  record: EvaluationRecord,
  ending: Ending,
  now: Micros,
): Promise<'done' | 'ended'> {
  if (ending.status === 'completed' && now >= record.deadline) return 'ended';
  const { bodies, input, ...outcome } = ending;
  const changed: EvaluationRecord = { ...record, ...outcome, input: input?.body ?? null };
  const isOver = ending.status === 'failed' || record.decision === null;
  return table.transact<'ended'>([
    {
      put: { ...evaluationKey(org, record.id), v: 1, ...changed },
      ConditionExpression: '#status = :pending',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':pending': 'pending' },
      refused: () => 'ended',
    },
    ...(isOver ? [{ remove: pendingKey(org, record) }] : []),
    ...bodies.flatMap(({ writes }) => writes),
  ]);
}

/** Writes down that an evaluation is past its deadline; for every reader it was so already. */
export const failOverdue = (
  table: Table,
  org: OrganizationId,
  record: EvaluationRecord,
  now: Micros,
): Promise<'done' | 'ended'> =>
  endEvaluation(
    table,
    org,
    record,
    { status: 'failed', result: null, error: OVERDUE, proof: null, input: null, bodies: [] },
    now,
  );

/** Notes where the decision of a completed evaluation was recorded; nothing is left to do for it. */
export async function noteDecision(
  table: Table,
  org: OrganizationId,
  record: EvaluationRecord,
  decision: AttestationId,
): Promise<void> {
  await table.transact([
    {
      update: evaluationKey(org, record.id),
      UpdateExpression: 'SET #decision = :decision',
      ExpressionAttributeNames: { '#decision': 'decisionId' },
      ExpressionAttributeValues: { ':decision': decision },
    },
    { remove: pendingKey(org, record) },
  ]);
}

/** Takes an evaluation from the pending ones although nothing is recorded of it: its end was written before. */
export const forgetPending = (table: Table, org: OrganizationId, record: EvaluationRecord): Promise<'done'> =>
  table.write({ remove: pendingKey(org, record) });

const PendingItem = z.object({ org: OrganizationId, id: z.string() });

/** Evaluations that were requested more than a minute ago and still wait, the oldest first. */
export async function waitingEvaluations(
  table: Table,
  now: Micros,
  limit: number,
): Promise<{ org: OrganizationId; id: Id; record: EvaluationRecord | null }[]> {
  const items = await table.query({
    pk: pendingEvaluations,
    to: pendingEvaluationKey(now, storedId(''), '').sk,
    limit,
  });
  return Promise.all(
    items.map(async (item) => {
      const { org, id } = PendingItem.parse(item);
      return { org, id, record: await readEvaluation(table, org, id) };
    }),
  );
}
