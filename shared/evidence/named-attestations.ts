import { type AttestationId, type Fingerprint, storedId } from '#shared/base/ids.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import { stateAsOf } from '#shared/evidence/records/moments.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';

/** Ids of the attestations with a name among a trail's moments, oldest first. */
export function idsNamed(moments: readonly Moment[], name: string): AttestationId[] {
  return moments.flatMap(({ record, said }) =>
    record !== undefined && said.changes.some((change) => change.kind === 'attestation' && change.name === name)
      ? [storedId<AttestationId>(record)]
      : [],
  );
}

/** The moments that attested one artifact: by its fingerprint, or by a name and commit that it was reported under. */
export function boundTo(moments: readonly Moment[], fingerprint: Fingerprint): Moment[] {
  const reports = bindingsOf(stateAsOf(moments)).reports.get(fingerprint) ?? [];
  const names = new Set(reports.map(({ name, commit }) => `${name}:${commit}`));
  return moments.filter(({ said }) =>
    said.changes.some(
      (change) =>
        change.kind === 'attestation' &&
        ((change.scope.kind === 'fingerprint' && change.scope.fingerprint === fingerprint) ||
          (change.scope.kind === 'named' && names.has(`${change.scope.artifact}:${change.scope.commit}`))),
    ),
  );
}
