import type { AttestationStatus, StatusWord } from './verdict.ts';

/**
 * Returns the reasons why an artifact is not compliant in a trail (rules/artifacts.md#reasons-against-an-artifact). A
 * compliant artifact has none.
 *
 * @param status the effective verdict on the artifact
 * @param entries the entries of the artifact and of the trail as a whole
 */
export function reasonsAgainst(status: StatusWord, entries: readonly AttestationStatus[]): string[] {
  if (status === 'COMPLIANT') return [];
  const texts = new Set(entries.flatMap(reasonOf));
  // If no entry failed, the report itself stated `is_compliant: false` (rules/artifacts.md#legacy-verdict).
  const failed = entries.some((entry) => entry.is_compliant === false);
  if (status === 'NON-COMPLIANT' && !failed) texts.add('The artifact was reported as non-compliant');
  return [...texts];
}

function reasonOf({ attestation_name: name, attestation_type: type, ...entry }: AttestationStatus): string[] {
  if (entry.status === 'MISSING') return [`Attestation '${name}' of type '${type}' is missing`];
  return entry.is_compliant === false ? [`Attestation '${name}' of type '${type}' is non-compliant`] : [];
}
