import type { AttestationId } from '#shared/base/ids.ts';
import { byNumber, typeMatches } from './binding.ts';
import type { TemplateSlot } from './template.ts';
import type { AttestationSlot } from './trail-state.ts';

/** The word for a trail or a reported artifact. The hyphen is the contract's (semantics §17). */
export type StatusWord = 'COMPLIANT' | 'NON-COMPLIANT' | 'INCOMPLETE';

/** One attestation in a status, in the shape that goes on the wire (semantics §3.7). */
export interface AttestationStatus {
  attestation_name: string;
  attestation_type: string;
  attestation_id: AttestationId | null;
  overridden_attestation_id: AttestationId | null;
  status: 'MISSING' | 'COMPLETE';
  is_compliant: boolean | null;
  unexpected: boolean;
}

/**
 * The entries of one trail or one artifact (semantics §3.7, wire flows U11): the template's slots in its order, then
 * unexpected reports in first-reported order. A `*` slot takes every type of its name, the newest last, since clients
 * key entries by name and keep the last; for the same reason an unexpected report that shares the name of a missing
 * slot stands directly before that slot.
 * @param reports one per name and type, in first-reported order
 * @param strangers reports that count here but fill no slot, in the same order
 */
export function statusEntries(
  slots: readonly TemplateSlot[],
  reports: readonly AttestationSlot[],
  strangers: readonly AttestationSlot[] = [],
): AttestationStatus[] {
  const all = [...reports, ...strangers].sort((a, b) => a.first - b.first);
  const fills = new Set(reports);
  const byName = Map.groupBy(all, (report) => report.name);
  const placed = new Set<AttestationSlot>();
  const entries: AttestationStatus[] = [];
  for (const slot of slots) {
    const namesakes = byName.get(slot.name) ?? [];
    const filling = namesakes.filter((report) => fills.has(report) && typeMatches(slot.type, report.type));
    if (filling.length > 0) {
      entries.push(...filling.toSorted(byNumber).map((report) => complete(report, false)));
      for (const report of filling) placed.add(report);
    } else {
      const before = namesakes.filter((report) => !placed.has(report));
      entries.push(...before.map((report) => complete(report, true)), missing(slot));
      for (const report of before) placed.add(report);
    }
  }
  const rest = all.filter((report) => !placed.has(report));
  return [...entries, ...rest.map((report) => complete(report, true))];
}

/** Semantics §3.8, `worst`: one failure outweighs everything, then one gap; unexpected entries count like the others. */
export function worst(entries: readonly AttestationStatus[]): StatusWord {
  if (entries.some((entry) => entry.is_compliant === false)) return 'NON-COMPLIANT';
  return entries.some((entry) => entry.status === 'MISSING') ? 'INCOMPLETE' : 'COMPLIANT';
}

/** The worst of several words; a missing artifact is a gap. No words at all are compliant. */
export function worstWord(words: readonly (StatusWord | 'MISSING')[]): StatusWord {
  if (words.includes('NON-COMPLIANT')) return 'NON-COMPLIANT';
  return words.some((word) => word !== 'COMPLIANT') ? 'INCOMPLETE' : 'COMPLIANT';
}

const complete = (report: AttestationSlot, unexpected: boolean): AttestationStatus => ({
  attestation_name: report.name,
  attestation_type: report.type,
  attestation_id: report.id,
  overridden_attestation_id: report.overridden,
  status: 'COMPLETE',
  is_compliant: report.compliant,
  unexpected,
});

const missing = (slot: TemplateSlot): AttestationStatus => ({
  attestation_name: slot.name,
  attestation_type: slot.type,
  attestation_id: null,
  overridden_attestation_id: null,
  status: 'MISSING',
  is_compliant: null,
  unexpected: false,
});
