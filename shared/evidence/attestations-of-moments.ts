import { type AttestationId, type Fingerprint, storedId } from '#shared/base/ids.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import { stateAsOf } from '#shared/evidence/records/moments.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';

/** Returns the ids of the attestations with this name in the moments, in the order of the moments. */
export function attestationIdsNamed(moments: readonly Moment[], name: string): AttestationId[] {
  return moments.flatMap(({ record, content }) =>
    record !== undefined && content.changes.some((change) => change.kind === 'attestation' && change.name === name)
      ? [storedId<AttestationId>(record)]
      : [],
  );
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
