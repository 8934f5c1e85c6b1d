import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { evaluationEntry } from '#shared/evaluations/records/evaluation-entry.ts';
import type { EvaluationRecord, Pin } from '#shared/evaluations/records/evaluations.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { findTrailId, type Moment, momentOf, readMoment } from '#shared/evidence/records/moments.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { type Claim, readClaims } from '../records/claims.ts';
import { recordDiffers } from '../rules/sentences.ts';

/**
 * Requires that the log has an evaluation and the moments that it read (rules/log.md#proved-records).
 *
 * @param pins the trails that had a moment
 * @returns the moments, in the order of `pins`; null if the log does not have one of the records yet
 * @throws RecordGone if a moment is missing
 * @throws ServiceError `broken` if a record is not what the log has
 */
export async function proveEvaluation(
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

async function goneMoment(
  table: Table,
  org: OrganizationId,
  { flow, trail: name, number }: { flow: FlowId; trail: string; number: number },
): Promise<never> {
  const trail = await findTrailId(table, org, flow, name);
  if (!trail) throw new Error(`The trail ${name} of flow ${flow} has no moments any more`);
  throw new RecordGone(momentOf({ flow, trail }, number));
}
