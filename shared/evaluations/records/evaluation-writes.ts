import * as z from 'zod';
import { type AttestationId, type Id, OrganizationId, storedId } from '#shared/base/ids.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { PreparedBody } from '#shared/bodies/bodies.ts';
import { entryWrite } from '#shared/series/series.ts';
import { above, equal, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write, withRequest } from '#shared/table/table.ts';
import { sealEvaluation } from './evaluation-entry.ts';
import { EVALUATIONS, type EvaluationRecord, OVERDUE, type Proof, readEvaluation } from './evaluations.ts';
import { evaluationKey, pendingEvaluationKey, pendingEvaluations } from './keys.ts';

/** The sweep skips an evaluation for this long after its request, because its message is probably on the way. */
const SWEPT_AFTER: Duration = 60_000_000;

/** Key of the item that exists as long as an evaluation has work left. The key does not change. */
const pendingKey = (org: OrganizationId, { id, requested }: Pick<EvaluationRecord, 'id' | 'requested'>) =>
  pendingEvaluationKey(plus(requested, SWEPT_AFTER), org, id);

/**
 * Returns the writes that request an evaluation: its record, its entry in the list, and its entry among the waiting
 * evaluations (rules/evaluations.md#messages).
 *
 * @param entry id of the entry in the list; each attempt uses a new id
 */
export const newEvaluationWrites = (
  org: OrganizationId,
  record: EvaluationRecord,
  entry: Id,
  bodies: readonly PreparedBody[],
): Write[] => [
  withRequest(putIfAbsent({ ...evaluationKey(org, record.id), v: 1, ...record })),
  entryWrite(org, EVALUATIONS, entry, { r: record.id }),
  { put: { ...pendingKey(org, record), v: 1, org, id: record.id } },
  ...bodies.flatMap(({ writes }) => writes),
];

/** The end of an evaluation: result or error, with the bodies to store. The caller uploads the bodies. */
export type Ending = Pick<EvaluationRecord, 'status' | 'allow' | 'error'> & {
  proof: Proof | null;
  input: PreparedBody | null;
  result: PreparedBody | null;
};

export const bodiesOf = ({ input, result }: Ending): { name: string; prepared: PreparedBody }[] =>
  Object.entries({ input, result }).flatMap(([name, prepared]) => (prepared ? [{ name, prepared }] : []));

/**
 * Returns the writes that end an evaluation if it is still pending (rules/evaluations.md#statuses). A completion at or after
 * the deadline is refused (rules/evaluations.md#deadline).
 *
 * @returns writes with the outcome `ended` if the evaluation has ended already or the completion is too late
 */
export function endWrites(
  org: OrganizationId,
  record: EvaluationRecord,
  ending: Ending,
  now: Micros,
  decision: AttestationId | null = null,
): Write<'ended'>[] {
  const { input, result, ...outcome } = ending;
  const bodies = bodiesOf(ending);
  const changed = sealEvaluation(
    { ...record, ...outcome, input: input?.body ?? null, result: result?.body ?? null, decisionId: decision },
    now,
    Object.fromEntries(bodies.map(({ name, prepared }) => [name, prepared.commitment])),
  );
  const isCompletion = ending.status === 'completed';
  return [
    withRequest({
      put: { ...evaluationKey(org, record.id), v: 1, ...changed },
      ...onlyIf(equal({ status: 'pending' }), ...(isCompletion ? [above({ deadline: now })] : [])),
      refused: () => 'ended',
    }),
    { remove: pendingKey(org, record) },
    ...bodies.flatMap(({ prepared }) => prepared.writes),
  ];
}

const FAILED: Ending = { status: 'failed', allow: null, error: OVERDUE, proof: null, input: null, result: null };

/** Stores the failure of an evaluation that is past its deadline. Readers see this failure even before it is stored. */
export const failOverdue = (
  table: Table,
  org: OrganizationId,
  record: EvaluationRecord,
  now: Micros,
): Promise<'done' | 'ended'> => table.transact(endWrites(org, record, FAILED, now));

export const removePending = (table: Table, org: OrganizationId, record: EvaluationRecord): Promise<'done'> =>
  table.write({ remove: pendingKey(org, record) });

const PendingItem = z.object({ org: OrganizationId, id: z.string() });

/**
 * Reads evaluations that were requested more than a minute ago and have work left, the oldest first.
 *
 * @returns `record` is null if the evaluation does not exist
 */
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
