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
  const recalled = recalledReason(entry);
  if (entry.status === 'MISSING') return [`Attestation '${name}' of type '${type}' is missing`, ...recalled];
  return entry.is_compliant === false ? [`Attestation '${name}' of type '${type}' is non-compliant`, ...recalled] : [];
}

/** Says why a newer record of the slot does not count. */
function recalledReason({ recalled }: Pick<AttestationStatus, 'recalled'>): string[] {
  if (!recalled) return [];
  const { attestation_name: name, attestation_type: type, recalls } = recalled;
  return [
    `Attestation '${name}' of type '${type}' was recalled by ${recalls.map((one) => `'${one.name}'`).join(', ')}`,
  ];
}

/** What is wrong with one slot, as a reason says it. */
interface ReasonAgainst {
  name: string;
  type: string;
  isMissing: boolean;
}

const REASON = /^Attestation '(.+)' of type '([^']+)' is (missing|non-compliant)$/;

/**
 * Reads what {@link reasonsAgainst} wrote, for stored snapshots, which keep nothing else of the slots. Returns null for a sentence
 * about no slot.
 */
export function readReason(text: string): ReasonAgainst | null {
  const [, name, type, word] = REASON.exec(text) ?? [];
  return name === undefined || type === undefined ? null : { name, type, isMissing: word === 'missing' };
}
