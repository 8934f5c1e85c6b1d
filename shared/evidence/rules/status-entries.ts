import type { AttestationId } from '#shared/base/ids.ts';
import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import { byNumber, typeMatches } from './binding.ts';
import type { SlotProof } from './slot-proof.ts';
import type { TemplateSlot } from './template.ts';
import type { AttestationSlot, RecalledSlot, RecallName } from './trail-state.ts';

/** The verdict word for a trail or a reported artifact (rules/trails.md#verdict-words). Clients need the hyphen. */
export type StatusWord = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';

/** The status entry of one attestation, in the form of answers (rules/trails.md#status-entries). */
export interface AttestationStatus {
  attestation_name: string;
  attestation_type: string;
  attestation_id: AttestationId | null;
  overridden_attestation_id: AttestationId | null;
  status: 'MISSING' | 'COMPLETE';
  is_compliant: boolean | null;
  unexpected: boolean;
  /** What an issuer proved about the reporter (rules/identities.md#evidence-says-who). */
  origin?: ProvenOrigin;
  /** What is known of the signature (rules/verified-evidence.md#where-grades-count). */
  proof?: SlotProof;
  /** What was recalled of this entry (rules/verified-evidence.md#effect-of-recalls). */
  recalled?: RecalledEntry;
}

/** A record that recalls match, in the form of answers. */
export interface RecalledEntry {
  attestation_name: string;
  attestation_type: string;
  attestation_id: AttestationId;
  recalls: readonly RecallName[];
}

export const recalledEntry = ({ name, type, id, recalls }: RecalledSlot): RecalledEntry => ({
  attestation_name: name,
  attestation_type: type,
  attestation_id: id,
  recalls,
});

/**
 * Returns the entries of one trail or one artifact (rules/trails.md#order-of-entries): the template's slots in its
 * order, then unexpected reports in the order of their first report. Clients turn the entries into a map by name and
 * keep the last one of a name. Therefore the newest type of a `*` slot comes last, and an unexpected report with the
 * name of a missing slot comes directly before that slot.
 *
 * @param reports one per name and type, in the order of the first report
 * @param foreignDecisions decisions on artifacts that the trail never had: they count but fill no slot; in the same
 *   order
 * @param recalled records of this trail or artifact that recalls match
 */
export function statusEntries(
  slots: readonly TemplateSlot[],
  reports: readonly AttestationSlot[],
  foreignDecisions: readonly AttestationSlot[] = [],
  recalled: readonly RecalledSlot[] = [],
): AttestationStatus[] {
  const complete = completeWith(recalled);
  const all = [...reports, ...foreignDecisions].sort((a, b) => a.first - b.first);
  const slotFillers = new Set(reports);
  // The verifier runs this, and Node 20 has no `Map.groupBy`.
  const byName = new Map<string, AttestationSlot[]>();
  for (const report of all) byName.set(report.name, [...(byName.get(report.name) ?? []), report]);
  const placed = new Set<AttestationSlot>();
  const entries: AttestationStatus[] = [];
  for (const slot of slots) {
    const namesakes = byName.get(slot.name) ?? [];
    const filling = namesakes.filter((report) => slotFillers.has(report) && typeMatches(slot.type, report.type));
    if (filling.length > 0) {
      entries.push(...filling.toSorted(byNumber).map((report) => complete(report, false)));
      for (const report of filling) placed.add(report);
    } else {
      const before = namesakes.filter((report) => !placed.has(report));
      entries.push(...before.map((report) => complete(report, true)), missing(slot, recalled));
      for (const report of before) placed.add(report);
    }
  }
  const rest = all.filter((report) => !placed.has(report));
  return [...entries, ...rest.map((report) => complete(report, true))];
}

/** Returns the verdict word of entries (rules/trails.md#aggregation). Unexpected entries count like all others. */
export function worst(entries: readonly AttestationStatus[]): StatusWord {
  if (entries.some((entry) => entry.is_compliant === false)) return 'NON-COMPLIANT';
  return entries.some((entry) => entry.status === 'MISSING') ? 'INCOMPLETE' : 'COMPLIANT';
}

/** Returns the worst of several words. A missing artifact counts as `INCOMPLETE`; without words it is `COMPLIANT`. */
export function worstWord(words: readonly (StatusWord | 'MISSING')[]): StatusWord {
  if (words.includes('NON-COMPLIANT')) return 'NON-COMPLIANT';
  return words.some((word) => word !== 'COMPLIANT') ? 'INCOMPLETE' : 'COMPLIANT';
}

const completeWith =
  (recalled: readonly RecalledSlot[]) =>
  (report: AttestationSlot, unexpected: boolean): AttestationStatus => ({
    attestation_name: report.name,
    attestation_type: report.type,
    attestation_id: report.id,
    overridden_attestation_id: report.overridden,
    status: 'COMPLETE',
    is_compliant: report.compliant,
    unexpected,
    ...(report.origin && { origin: report.origin }),
    ...(report.proof && { proof: report.proof }),
    ...recalledOf(recalled, ({ name, type }) => name === report.name && type === report.type),
  });

function recalledOf(
  recalled: readonly RecalledSlot[],
  isMeant: (slot: RecalledSlot) => boolean,
): Pick<AttestationStatus, 'recalled'> {
  const found = recalled.find(isMeant);
  return found ? { recalled: recalledEntry(found) } : {};
}

const missing = (slot: TemplateSlot, recalled: readonly RecalledSlot[]): AttestationStatus => ({
  attestation_name: slot.name,
  attestation_type: slot.type,
  attestation_id: null,
  overridden_attestation_id: null,
  status: 'MISSING',
  is_compliant: null,
  unexpected: false,
  ...recalledOf(recalled, ({ name, type }) => name === slot.name && typeMatches(slot.type, type)),
});
