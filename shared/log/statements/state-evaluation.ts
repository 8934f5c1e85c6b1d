import type { Stores } from '#shared/bodies/stores.ts';
import {
  type EvaluationRecord,
  readEvaluation,
  readPins,
  readResult,
} from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { nothingToState } from '../rules/sentences.ts';
import type { Summary } from '../rules/verification-summary.ts';
import { addressOf, momentLink, type StatementPlace } from './moment-links.ts';
import { proveEvaluation } from './proved-evaluation.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/**
 * States the result of an evaluation (rules/log.md#statement-of-an-evaluation).
 *
 * @param id any text
 * @throws ServiceError `not-found` if there is no such evaluation; RecordGone, ServiceError as {@link summarizeEvaluation}
 */
export async function stateEvaluation(
  services: StatementServices,
  place: StatementPlace,
  id: string,
  format: StatementFormat,
): Promise<Stated> {
  const record = await readEvaluation(services.table, place.org.id, id);
  if (!record) throw evaluationNotFound();
  const about = ['evaluation', record.id];
  return stateAbout(services, place, format, about, () => summarizeEvaluation(services, place, record));
}

/**
 * Summarizes the result of an evaluation (rules/log.md#statement-of-an-evaluation). Digests of input and parameters are
 * left out, because an erasure has to remove them.
 *
 * @returns null if the log does not have the evaluation or a moment that it read yet
 * @throws ServiceError `invalid` if the evaluation has no result; RecordGone, ServiceError as {@link proveEvaluation}
 */
async function summarizeEvaluation(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  place: StatementPlace,
  record: EvaluationRecord,
): Promise<Summary | null> {
  const [result, pins] = await Promise.all([
    readResult(objects, place.org.id, record),
    readPins(objects, place.org.id, record),
  ]);
  const { proof } = record;
  if (!result || !proof) throw nothingToState();
  // A trail that had no moment yet has no link.
  const read = pins.filter(({ number }) => number > 0);
  const moments = await proveEvaluation(table, place.org.id, record, read);
  if (!moments) return null;
  const inputs = moments.map((moment) => momentLink(place, moment));
  const uri = addressOf(place, 'evaluations', record.id);
  return {
    kind: 'evaluation',
    subjects:
      inputs.length > 0
        ? inputs.map(({ sha256 }, i) => ({ name: moments[i]?.content.names.trail ?? '', sha256 }))
        : [{ name: record.id, sha256: proof.policy }],
    uri,
    passed: result.allow,
    policy: { uri, sha256: proof.policy },
    inputs,
    at: record.recorded,
  };
}
