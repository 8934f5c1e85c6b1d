import { type AttestationId, firstIdAt, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { erasedBody, erasedObjects } from '#shared/bodies/erased-bodies.ts';
import type { Erasure, ErasurePlan } from '#shared/bodies/erasure.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { originOf } from '#shared/callers/verified-identity.ts';
import { entriesIn, readMonths } from '#shared/series/series-entries.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Write } from '#shared/table/table.ts';
import { evaluationEntry } from './records/evaluation-entry.ts';
import { EVALUATIONS, type EvaluationRecord, type Pin, readEvaluations, readPins } from './records/evaluations.ts';
import { evaluationKey } from './records/keys.ts';

/** Bodies that are erased, and texts that lie in no body. Each has a commitment under its name. */
const BODIES = ['input', 'params', 'result'] as const;
const TEXTS = ['details', 'error'] as const;

/**
 * Plans the erasure of what an evaluation read and what came of it: input, parameters and result, their digests in the proof,
 * the message of an error, and the name of the person in the identity of who asked (rules/erasure.md#erased-evaluation). The
 * policy and everything under the commitment `evaluation` stay.
 */
export function planEvaluation(org: OrganizationId, record: EvaluationRecord, erased: Erasure): ErasurePlan {
  const what = `evaluation ${record.id}`;
  const entry = record.erased ? null : evaluationEntry(org, record);
  const removed = [...BODIES.filter((name) => record[name]), ...TEXTS.filter((name) => record.salts[name])];
  if (!entry || removed.length === 0) return { what, objects: [], writes: [] };
  return {
    what,
    objects: erasedObjects(
      BODIES.map((name) => record[name]),
      `evaluation:${record.id}`,
    ),
    writes: [erasureWrite(org, record, erased)],
    removed: { [entryHash(entry).toString('hex')]: removed },
  };
}

/** An evaluation that has ended changes by its erasure only, so the whole item is replaced. */
function erasureWrite(org: OrganizationId, record: EvaluationRecord, erased: Erasure): Write<'again'> {
  const { proof, error, by, salts } = record;
  const gone = BODIES.flatMap((name) => (record[name] ? [[name, erasedBody(erased)]] : []));
  const { evaluation } = salts;
  const left: EvaluationRecord = {
    ...record,
    ...Object.fromEntries(gone),
    proof: proof && { ...proof, params: null, input: null },
    // The message of an error can quote the input.
    error: error && { ...error, message: '' },
    by: { ...by, ...(by.identity && { identity: originOf(by.identity) }) },
    salts: evaluation ? { evaluation } : {},
    erased,
  };
  return {
    put: { ...evaluationKey(org, record.id), v: 1, ...left },
    ...onlyIf(unchanged(record, 'ended'), absent('erased')),
    refused: again,
  };
}

export interface PinnedEvaluation {
  record: EvaluationRecord;
  pins: Pin[];
}

const READ_AT_ONCE = 100;

/**
 * Reads all evaluations that were requested since an instant, with the trails that each of them read. The input of an
 * evaluation copies the texts of these trails.
 */
export async function evaluationsSince(
  services: Reading,
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
