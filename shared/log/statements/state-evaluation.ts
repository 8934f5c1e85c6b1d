import type { OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Reading } from '#shared/bodies/stores.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import {
  type EvaluationRecord,
  type Pin,
  readEvaluation,
  readPins,
  readResult,
} from '#shared/evaluations/records/evaluations.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { findTrailId, type Moment, momentOf, readMoment } from '#shared/evidence/records/moments.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { type Claim, readClaims } from '../records/claims.ts';
import { nothingToState, recordDiffers } from '../rules/sentences.ts';
import type { Summary } from '../rules/verification-summary.ts';
import { addressOf, momentLink, type StatementPlace } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/**
 * States the result of an evaluation (rules/log.md#statement-of-an-evaluation).
 *
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
  { table, objects }: Reading,
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

/**
 * Requires that the log has an evaluation and the moments that it read (rules/log.md#proved-records).
 *
 * @returns the moments, in the order of `pins`; null if the log does not have one of the records yet
 * @throws RecordGone if a moment is missing
 * @throws ServiceError `broken` if a record is not what the log has
 */
async function proveEvaluation(
  table: Table,
  org: OrganizationId,
  record: EvaluationRecord,
  pins: readonly Pin[],
): Promise<Moment[] | null> {
  const moments = await readPinned(table, org, pins);
  const [claim = null, ...claims] = await readClaims(table, org, [
    { kind: 'evaluation', evaluation: record.id },
    ...moments.map((moment) => momentOf(moment, moment.number)),
  ]);
  const entry = evaluationEntry(org, record);
  if (!entry) return null;
  const isLogged = [
    hasHash(claim, entryHash(entry)),
    ...moments.map(({ hash }, i) => hasHash(claims[i] ?? null, hash)),
  ];
  return isLogged.every(Boolean) ? moments : null;
}

/** @returns whether the log has the entry. @throws ServiceError `broken` if it has another one */
function hasHash(claim: Claim | null, hash: Uint8Array): boolean {
  if (claim && Buffer.compare(claim.hash, hash) !== 0) throw recordDiffers({ index: claim.index });
  return claim !== null;
}

async function readPinned(table: Table, org: OrganizationId, pins: readonly Pin[]): Promise<Moment[]> {
  const keyOf = ({ flow, trail, number }: Pin) => momentKey(org, flow, trail, number);
  const found = await table.getMany(pins.map(keyOf));
  return Promise.all(
    pins.map(async (pin) => {
      const item = found.get(keyText(keyOf(pin)));
      return item ? readMoment(item) : goneMoment(table, org, pin);
    }),
  );
}

async function goneMoment(table: Table, org: OrganizationId, { flow, trail: name, number }: Pin): Promise<never> {
  const trail = await findTrailId(table, org, flow, name);
  if (!trail) throw new Error(`The trail ${name} of flow ${flow} has no moments any more`);
  throw new RecordGone(momentOf({ flow, trail }, number));
}
