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
  const by = entry.recalled ? `${RECALLED}${entry.recalled.recalls.map((one) => `'${one.name}'`).join(', ')}` : '';
  if (entry.status === 'MISSING') return [`Attestation '${name}' of type '${type}' is missing${by}`];
  return entry.is_compliant === false ? [`Attestation '${name}' of type '${type}' is non-compliant${by}`] : [];
}

/** Begins the part of a reason that says why newer evidence of the slot does not count. */
const RECALLED = ': the newest was recalled by ';

/** What is wrong with one slot, as a reason says it. */
interface ReasonAgainst {
  name: string;
  type: string;
  isMissing: boolean;
  /** Names of the recalls that match the newest evidence of the slot; empty if it was not recalled. */
  recalls: string[];
}

const REASON = new RegExp(`^Attestation '(.+)' of type '([^']+)' is (missing|non-compliant)(?:${RECALLED}(.+))?$`);

/**
 * Reads what {@link reasonsAgainst} wrote, for stored snapshots, which keep nothing else of the slots. Returns null for a sentence
 * about no slot.
 */
export function readReason(text: string): ReasonAgainst | null {
  const [, name, type, word, recalls] = REASON.exec(text) ?? [];
  if (name === undefined || type === undefined) return null;
  const named = recalls?.split(', ').map((quoted) => quoted.slice(1, -1));
  return { name, type, isMissing: word === 'missing', recalls: named ?? [] };
}
