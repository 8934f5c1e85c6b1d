import { type AttestationId, firstIdAt, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { originOf } from '#shared/base/verified-identity.ts';
import { type Erasure, type ErasurePlan, erasedBody, erasedObjects } from '#shared/bodies/erasure.ts';
import type { Services } from '#shared/http/services.ts';
import { entriesIn, readMonths } from '#shared/series/series-entries.ts';
import type { Write } from '#shared/table/table.ts';
import { EVALUATIONS, type EvaluationRecord, type Pin, readEvaluations, readPins } from './records/evaluations.ts';
import { evaluationKey } from './records/keys.ts';

/**
 * Plans the erasure of what an evaluation read and what came of it: input, parameters and result, their digests in the proof,
 * and the name of the person in the identity of who asked (rules/erasure.md#erased-evaluation). The policy stays.
 */
export function planEvaluation(org: OrganizationId, record: EvaluationRecord, erased: Erasure): ErasurePlan {
  const parts = (['input', 'params', 'result'] as const).filter(
    (part) => (record[part]?.store ?? 'erased') !== 'erased',
  );
  const bodies = parts.map((part) => record[part]);
  return {
    what: `evaluation ${record.id}`,
    objects: erasedObjects(bodies, `evaluation:${record.id}`),
    writes: parts.length === 0 ? [] : [erasureWrite(org, record, parts, erased)],
  };
}

function erasureWrite(
  org: OrganizationId,
  { id, status, proof, error, by }: EvaluationRecord,
  parts: readonly string[],
  erased: Erasure,
): Write<'again'> {
  const names = [...parts, 'proof', 'error', 'status', 'store', ...(by.identity ? ['by', 'identity'] : [])];
  return {
    update: evaluationKey(org, id),
    UpdateExpression: `SET #proof = :proof, #error = :error, ${by.identity ? '#by.#identity = :identity, ' : ''}${parts.map((part) => `#${part} = :body`).join(', ')}`,
    ConditionExpression: `#status = :status AND ${parts.map((part) => `#${part}.#store <> :gone`).join(' AND ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ':body': erasedBody(erased),
      ':proof': proof && { ...proof, params: null, input: null },
      // The message of an error can quote the input.
      ':error': error && { ...error, message: '' },
      ':status': status,
      ...(by.identity && { ':identity': originOf(by.identity) }),
      ':gone': 'erased',
    },
    refused: again,
  };
}

/** An evaluation with the trails that it read. */
export interface PinnedEvaluation {
  record: EvaluationRecord;
  pins: Pin[];
}

/** Evaluations that are read at the same time. */
const READ_AT_ONCE = 100;

/**
 * Reads all evaluations that were requested since an instant, with the trails that each of them read. The input of an
 * evaluation copies the texts of these trails.
 */
export async function evaluationsSince(
  services: Pick<Services, 'table' | 'objects'>,
  org: OrganizationId,
  since: Micros,
  now: Micros,
): Promise<PinnedEvaluation[]> {
  const { table, objects } = services;
  const months = await readMonths(table, org, EVALUATIONS, now);
  const entries = await entriesIn(table, org, EVALUATIONS, months, { from: firstIdAt(since) });
  const found: PinnedEvaluation[] = [];
  for (const batch of batchesOf(entries, READ_AT_ONCE)) {
    const records = await readEvaluations(
      table,
      org,
      batch.map(({ r }) => storedId(String(r))),
    );
    found.push(
      ...(await Promise.all(records.map(async (record) => ({ record, pins: await readPins(objects, org, record) })))),
    );
  }
  return found;
}

/** The decision that an evaluation recorded; null if there is none. It copies the result. */
export const decisionOf = ({ decisionId }: EvaluationRecord): AttestationId | null =>
  decisionId === null ? null : storedId(decisionId);
