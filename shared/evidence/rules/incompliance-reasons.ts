import type { AttestationStatus, StatusWord } from './verdict.ts';

/**
 * Why an artifact is not compliant in a trail, a text per entry that stands against it (wire environments §4.3,
 * `flow_reasons_for_non_compliance`); none where it is compliant.
 * @param entries of the artifact and of the trail as a whole
 */
export function reasonsAgainst(status: StatusWord, entries: readonly AttestationStatus[]): string[] {
  if (status === 'COMPLIANT') return [];
  const texts = new Set(entries.flatMap(reasonOf));
  // Only the report itself, saying so, makes an artifact fail beside its attestations (semantics §3.8).
  const failed = entries.some((entry) => entry.is_compliant === false);
  if (status === 'NON-COMPLIANT' && !failed) texts.add('The artifact was reported as non-compliant');
  return [...texts];
}

function reasonOf({ attestation_name: name, attestation_type: type, ...entry }: AttestationStatus): string[] {
  if (entry.status === 'MISSING') return [`Attestation '${name}' of type '${type}' is missing`];
  return entry.is_compliant === false ? [`Attestation '${name}' of type '${type}' is non-compliant`] : [];
}
