import * as z from 'zod';
import {
  type AttestationId,
  FlowId,
  type Id,
  idAt,
  isId,
  type OrganizationId,
  PrincipalId,
  TrailId,
} from '#shared/base/ids.ts';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { type Duration, type Micros, StoredMicros } from '#shared/base/time.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { ERROR_KINDS, EvaluationResult } from '#shared/engines/policy-engine.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { requireSealed, requireText } from './evaluation-entry.ts';
import { evaluationKey } from './keys.ts';

export const EVALUATIONS = 'evaluations' as const;

/** Time from the request to the deadline, in microseconds (rules/evaluations.md#deadline). */
export const DEADLINE_AFTER: Duration = 15 * 60 * 1_000_000;

/** A trail of the context, pinned to a moment (rules/evaluations.md#pins). */
export const Pin = z.object({
  flow: FlowId,
  flowName: AnyFlowName,
  trail: AnyTrailName,
  /** Number of the moment; 0 = the trail had no moment at `recorded_at`. */
  number: z.number(),
});
export type Pin = z.infer<typeof Pin>;

/** The decision that a request wants recorded (rules/evaluations.md#decision-order). */
export const DecisionOrder = z.object({
  control: z.string(),
  name: z.string(),
  /** Names of flow and trail, as the request found them. */
  flow: AnyFlowName,
  trail: AnyTrailName,
  /** Ids of flow and trail; absent in evaluations that earlier releases stored. */
  place: z.object({ flow: FlowId, trail: TrailId }).optional(),
  fingerprint: z.string().nullable(),
});
export type DecisionOrder = z.infer<typeof DecisionOrder>;

/** SHA-256 digests (hex) of the texts that a policy was evaluated with, and the engine (rules/evaluations.md#proof). */
export const Proof = z.object({
  policy: z.string(),
  /** Null once the text was erased. */
  params: z.string().nullable(),
  input: z.string().nullable(),
  engine: z.string(),
  version: z.string(),
  /** Null in evaluations of earlier releases. */
  language: z.string().nullable().default(null),
});
export type Proof = z.infer<typeof Proof>;

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const EvaluationRecord = z.object({
  id: z.string(),
  status: z.enum(['pending', 'completed', 'failed']),
  requested: StoredMicros,
  /** The instant as of which every trail is read, in microseconds. */
  recorded: StoredMicros,
  deadline: StoredMicros,
  by: z.object({
    id: PrincipalId,
    name: z.string(),
    kind: z.enum(['user', 'service-account']),
    keyId: z.string().nullable(),
    /** What an issuer proved about the caller (rules/identities.md#evidence-says-who). */
    identity: VerifiedIdentity.optional(),
  }),
  /** Name of the organization and address of the service in the request. The trails in the input hold absolute links. */
  org: z.string(),
  host: z.string(),
  /** JSON text: array of pins. */
  context: StoredBody,
  /** JSON text: object of path → text. */
  policy: StoredBody,
  /** JSON text of an object; null = the request had no parameters. */
  params: StoredBody.nullable(),
  decision: DecisionOrder.nullable(),
  /** JSON text of `{allow, violations}`; null unless the evaluation is completed. */
  result: StoredBody.nullable(),
  /** The verdict of the result, which an erasure leaves; null unless the evaluation is completed. */
  allow: z.boolean().nullable(),
  error: z.object({ kind: z.enum(ERROR_KINDS), message: z.string() }).nullable(),
  decisionId: z.string().nullable(),
  proof: Proof.nullable(),
  /** JSON text of the policy's input; null if the policy has not run. */
  input: StoredBody.nullable(),
  ended: StoredMicros.nullable(),
  /** Commitments by name (rules/evaluations.md#entry-of-the-log). Those of the request have no entry in the log yet. */
  pledges: z.record(z.string(), Bytes),
  /** Salts of the commitments to texts that lie in no body. An erasure removes all but `evaluation`. Empty while the evaluation is pending. */
  salts: z.record(z.string(), Bytes).default({}),
  erased: Erasure.optional(),
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;

/** Names of the bodies of an evaluation. Each has a commitment under its name. */
type EvaluationBody = 'context' | 'policy' | 'params' | 'input' | 'result';
/** The bodies that a command can erase (rules/erasure.md#erased-evaluation). */
const ERASABLE: readonly EvaluationBody[] = ['params', 'input', 'result'];

/**
 * Reads the text of a body of an evaluation.
 *
 * @returns null if the evaluation has no such body, or if it was erased
 * @throws Error if the text is not the one that was stored, or is gone without an erasure
 */
export async function readEvaluationBody(
  objects: Objects,
  org: OrganizationId,
  record: EvaluationRecord,
  name: EvaluationBody,
): Promise<string | null> {
  const body = record[name];
  if (!body) return null;
  const text = await readBody(objects, org, body);
  if (text !== null) requireText(record, name, body.salt, text);
  else if (!record.erased || !ERASABLE.includes(name)) {
    throw new Error(`Evaluation ${record.id} is not the one that was stored: the text of '${name}' is gone`);
  }
  return text;
}

/** Reads the result of an evaluation. Returns null if it has no result, or if the result was erased. */
export async function readResult(
  objects: Objects,
  org: OrganizationId,
  record: EvaluationRecord,
): Promise<EvaluationResult | null> {
  const text = await readEvaluationBody(objects, org, record, 'result');
  return text === null ? null : EvaluationResult.parse(JSON.parse(text));
}

export async function readPins(objects: Objects, org: OrganizationId, record: EvaluationRecord): Promise<Pin[]> {
  const text = await readEvaluationBody(objects, org, record, 'context');
  return z.array(Pin).parse(JSON.parse(text ?? ''));
}

/** Name of the attachment of a decision that copies result and proof (rules/evaluations.md#recording). */
export const REPORT_FILE = 'evaluation.json';

/**
 * Reads an evaluation. Returns null if no evaluation has the id, or if `id` is not the form of an id.
 *
 * @throws Error if the evaluation is not the one that was stored
 */
export async function readEvaluation(table: Table, org: OrganizationId, id: string): Promise<EvaluationRecord | null> {
  if (!isId(id)) return null;
  const item = await table.get(evaluationKey(org, id));
  return item ? requireSealed(EvaluationRecord.parse(item)) : null;
}

/**
 * Reads evaluations in the order of `ids`. Leaves out evaluations that do not exist.
 *
 * @throws Error if one of them is not the one that was stored
 */
export const readEvaluations = async (
  table: Table,
  org: OrganizationId,
  ids: readonly Id[],
): Promise<EvaluationRecord[]> => (await readUnverifiedEvaluations(table, org, ids)).map(requireSealed);

/** Does the same for exports, where the reader of the export verifies. */
export async function readUnverifiedEvaluations(
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

export const OVERDUE = { kind: 'internal_error', message: 'The evaluation did not end within 15 minutes' } as const;

export const isOverdue = ({ status, deadline }: EvaluationRecord, now: Micros): boolean =>
  status === 'pending' && now >= deadline;

/** Returns the record as readers see it at an instant: overdue evaluations have failed, even if that is not stored yet. */
export const asOf = (record: EvaluationRecord, now: Micros): EvaluationRecord =>
  isOverdue(record, now) ? { ...record, status: 'failed', error: OVERDUE } : record;

/** Derives the id of the decision from the evaluation, so a second attempt records nothing (rules/evaluations.md#once). */
export const decisionIdOf = ({ id, requested }: Pick<EvaluationRecord, 'id' | 'requested'>): AttestationId =>
  idAt(requested, `decision|${id}`);
