import * as z from 'zod';
import { type AttestationId, FlowId, type Id, idAt, isId, type OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { ERROR_KINDS, EvaluationResult } from '#shared/engines/policy-engine.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { evaluationKey } from './keys.ts';

/** The series of an organization's evaluations. */
export const EVALUATIONS = 'evaluations';

/** An evaluation that has no end by then has failed, for every reader (issue of the evaluator; semantics §8.1). */
export const DEADLINE_AFTER: Micros = 15 * 60 * 1_000_000;

/** A trail of the context, pinned to a moment: 0 = it had none at `recorded_at`. */
export const Pin = z.object({
  flow: FlowId,
  flowName: z.string(),
  trail: z.string(),
  number: z.number(),
});
export type Pin = z.infer<typeof Pin>;

/** The decision that is to be recorded of the outcome. */
export const DecisionOrder = z.object({
  control: z.string(),
  name: z.string(),
  flow: z.string(),
  trail: z.string(),
  fingerprint: z.string().nullable(),
});
export type DecisionOrder = z.infer<typeof DecisionOrder>;

/** What was evaluated, so that it can be evaluated again: digests as hex SHA-256, and who evaluated it. */
export const Proof = z.object({
  policy: z.string(),
  params: z.string(),
  input: z.string(),
  engine: z.string(),
  version: z.string(),
});
export type Proof = z.infer<typeof Proof>;

export const EvaluationRecord = z.object({
  id: z.string(),
  status: z.enum(['pending', 'completed', 'failed']),
  requested: z.number(),
  /** The instant that every trail is read at. */
  recorded: z.number(),
  deadline: z.number(),
  by: z.object({ id: PrincipalId, name: z.string(), kind: z.enum(['user', 'service-account']), keyId: z.string() }),
  /** Name of the organization and address of the service as the caller knew them: trails hold absolute links. */
  org: z.string(),
  host: z.string(),
  /** JSON text of the list of pins. */
  context: StoredBody,
  /** JSON text of path → text. */
  policy: StoredBody,
  /** JSON text of an object; null = none were given. */
  params: StoredBody.nullable(),
  decision: DecisionOrder.nullable(),
  /** Of a completed one: JSON text of `{allow, violations}`. */
  result: StoredBody.nullable(),
  error: z.object({ kind: z.enum(ERROR_KINDS), message: z.string() }).nullable(),
  /** Where the decision was recorded. */
  decisionId: z.string().nullable(),
  proof: Proof.nullable(),
  /** JSON text of what the policy was given; null until it is known. */
  input: StoredBody.nullable(),
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;

/** What a completed evaluation came to; null for one that has no result, and for a result that was erased. */
export async function readResult(
  objects: Objects,
  org: OrganizationId,
  { result }: EvaluationRecord,
): Promise<EvaluationResult | null> {
  const text = result && (await readBody(objects, org, result));
  return text === null ? null : EvaluationResult.parse(JSON.parse(text));
}

/** An evaluation by id; null where there is none, and for whatever is no id. */
export async function readEvaluation(table: Table, org: OrganizationId, id: string): Promise<EvaluationRecord | null> {
  if (!isId(id)) return null;
  const item = await table.get(evaluationKey(org, id));
  return item ? EvaluationRecord.parse(item) : null;
}

/** Evaluations in the order asked; those that are not there are left out. */
export async function readEvaluations(
  table: Table,
  org: OrganizationId,
  ids: readonly Id[],
): Promise<EvaluationRecord[]> {
  const found = await table.getMany(ids.map((id) => evaluationKey(org, id)));
  return ids
    .map((id) => found.get(`${evaluationKey(org, id).pk}\nRECORD`))
    .filter((item): item is Item => item !== undefined)
    .map((item) => EvaluationRecord.parse(item));
}

/** How an evaluation failed that has no end by its deadline. */
export const OVERDUE = { kind: 'internal_error', message: 'The evaluation did not end within 15 minutes' } as const;

/** Whether an evaluation is past its deadline without an end. */
export const isOverdue = ({ status, deadline }: EvaluationRecord, now: Micros): boolean =>
  status === 'pending' && now >= deadline;

/** The record as it is at an instant: one that is past its deadline has failed, written down or not. */
export const asOf = (record: EvaluationRecord, now: Micros): EvaluationRecord =>
  isOverdue(record, now) ? { ...record, status: 'failed', error: OVERDUE } : record;

/** The id of an evaluation's decision: the same whoever records it, so that it is recorded once (semantics §8.1). */
export const decisionIdOf = ({ id, requested }: Pick<EvaluationRecord, 'id' | 'requested'>): AttestationId =>
  idAt(requested, `decision|${id}`);
