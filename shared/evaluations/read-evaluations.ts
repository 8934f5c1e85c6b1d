import { parseJson } from '#shared/base/json-text.ts';
import type { Reading, Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { EvaluationResult } from '#shared/engines/policy-engine.ts';
import { seriesPage } from '#shared/series/series.ts';
import {
  asOf,
  EVALUATIONS,
  type EvaluationRecord,
  type Pin,
  type Proof,
  readEvaluation,
  readEvaluationBody,
  readEvaluations,
  readPins,
  readResult,
} from './records/evaluations.ts';
import { evaluationNotFound } from './rules/sentences.ts';

export type { EvaluationRecord, Proof };

/** An evaluation as readers see it now: an overdue one has failed (rules/evaluations.md#deadline). */
export interface ReadEvaluation {
  record: EvaluationRecord;
  /** Null if the evaluation has no result, or if it was erased. */
  result: EvaluationResult | null;
}

/** Reads an evaluation with its result. @throws ServiceError `not-found` if there is no such evaluation */
export async function getEvaluation(stores: Stores, org: Organization, id: string): Promise<ReadEvaluation> {
  const record = await requireEvaluation(stores, org, id);
  return { record, result: await readResult(stores.objects, org.id, record) };
}

/**
 * Reads the record of an evaluation as readers see it now.
 *
 * @throws ServiceError `not-found` if there is no such evaluation
 */
export async function requireEvaluation(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  id: string,
): Promise<EvaluationRecord> {
  const stored = await readEvaluation(table, org.id, id);
  if (!stored) throw evaluationNotFound();
  return asOf(stored, clock.now());
}

/** Lists a page of evaluations, newest first (rules/evaluations.md#list-of-evaluations), and counts all. */
export async function listEvaluations(
  { table, objects, clock }: Stores,
  org: Organization,
  page: { page: number; perPage: number },
): Promise<{ total: number; evaluations: ReadEvaluation[] }> {
  const now = clock.now();
  const { total, entries } = await seriesPage(table, org.id, EVALUATIONS, page, now);
  const ids = entries.map(({ r }) => String(r));
  const records = await readEvaluations(table, org.id, ids);
  const evaluations = await Promise.all(
    records.map(async (record) => ({
      record: asOf(record, now),
      result: await readResult(objects, org.id, record),
    })),
  );
  return { total, evaluations };
}

export interface AskedEvaluation {
  record: EvaluationRecord;
  pins: Pin[];
  /** The files of the policy, by path; null if they were erased. A list, because a path may be any text, also `__proto__`. */
  files: { path: string; text: string }[] | null;
  /** JSON text; null if there were none, or if they were erased. */
  params: string | null;
}

/**
 * Reads what an evaluation was asked for (rules/evaluations.md#read-the-request).
 *
 * @throws ServiceError `not-found` if there is no such evaluation
 */
export async function getEvaluationRequest(
  { table, objects }: Reading,
  org: Organization,
  id: string,
): Promise<AskedEvaluation> {
  const record = await readEvaluation(table, org.id, id);
  if (!record) throw evaluationNotFound();
  const [pins, policy, params] = await Promise.all([
    readPins(objects, org.id, record),
    readEvaluationBody(objects, org.id, record, 'policy'),
    readEvaluationBody(objects, org.id, record, 'params'),
  ]);
  return { record, pins, files: policy === null ? null : filesOf(policy), params };
}

const filesOf = (text: string): { path: string; text: string }[] =>
  // The text is the one that the request stored from an object of texts: its commitment was checked.
  Object.entries(parseJson(text) as Record<string, string>)
    .map(([path, content]) => ({ path, text: content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
