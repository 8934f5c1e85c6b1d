import { type AttestationId, type Fingerprint, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { type ChainedRecord, RecordGone } from '#shared/base/proofs/record-gone.ts';
import { readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { type Moment, momentOf, stateAsOf } from '#shared/evidence/records/moments.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import { hasAttestation } from '#shared/evidence/rules/trail-state.ts';
import type { Table } from '#shared/table/table.ts';

/** An attestation that a moment brought. */
export interface BroughtAttestation {
  id: AttestationId;
  moment: ChainedRecord;
}

/** Returns the attestation that a moment brought; none for other moments. */
export const broughtBy = (moment: Moment): BroughtAttestation[] =>
  moment.record !== undefined && hasAttestation(moment.content.changes)
    ? [{ id: storedId(moment.record), moment: momentOf(moment, moment.number) }]
    : [];

/** Returns the attestations with this name in the moments, in the order of the moments. */
export const attestationsNamed = (moments: readonly Moment[], name: string): BroughtAttestation[] =>
  moments
    .filter(({ content }) => content.changes.some((change) => change.kind === 'attestation' && change.name === name))
    .flatMap(broughtBy);

/**
 * Reads attestations that moments brought, in their order.
 *
 * @throws RecordGone if one is missing: the log has its moment
 */
export async function readBrought(table: Table, org: OrganizationId, brought: readonly BroughtAttestation[]) {
  const ids = brought.map(({ id }) => id);
  const records = await readAttestations(table, org, ids);
  if (records.length < ids.length) {
    const found = new Set(records.map(({ id }) => id));
    const missing = brought.find(({ id }) => !found.has(id));
    if (missing) throw new RecordGone(missing.moment, { part: `its attestation ${missing.id}` });
  }
  return records;
}

/**
 * Returns the moments whose attestations bind to an artifact: by its fingerprint, or by a name and commit under which
 * it was reported (rules/trails.md#scope-and-binding).
 *
 * @param moments all moments of one trail, ascending
 */
export function momentsBoundTo(moments: readonly Moment[], fingerprint: Fingerprint): Moment[] {
  const reports = bindingsOf(stateAsOf(moments)).reports.get(fingerprint) ?? [];
  const names = new Set(reports.map(({ name, commit }) => `${name}:${commit}`));
  return moments.filter(({ content }) =>
    content.changes.some(
      (change) =>
        change.kind === 'attestation' &&
        ((change.scope.kind === 'fingerprint' && change.scope.fingerprint === fingerprint) ||
          (change.scope.kind === 'named' && names.has(`${change.scope.artifact}:${change.scope.commit}`))),
    ),
  );
}
