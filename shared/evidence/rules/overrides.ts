import { byNumber, rivals } from './binding.ts';
import type { Template, TemplateSlot } from './template.ts';
import type { AttestationSlot, Scope, TrailState } from './trail-state.ts';

/** What an override replaces (semantics §3.9, wire flows U17, U18). */
export interface Overridden {
  /** The type that the slot keeps: that of the original, in full. */
  type: string;
  /** The latest record of that name and type, possibly an override itself; null: there was none. */
  original: AttestationSlot | null;
}

/**
 * Finds what an override is about. Plain `custom` means the newest custom record of that name; without one the
 * template's custom slot of that name gives the type; without that it stays `custom`.
 * @param type `original_attestation_type` of the report, as templates spell it
 */
export function findOverridden(
  state: TrailState,
  template: Template,
  scope: Scope,
  name: string,
  type: string,
): Overridden {
  const original = rivals(state, scope)
    .filter((slot) => slot.name === name && (slot.type === type || (type === 'custom' && isCustom(slot))))
    .toSorted(byNumber)
    .at(-1);
  if (original) return { type: original.type, original };
  if (type !== 'custom') return { type, original: null };
  const wanted = slotsFor(state, template, scope).find((slot) => slot.name === name && isCustom(slot));
  return { type: wanted?.type ?? type, original: null };
}

const isCustom = ({ type }: { type: string }) => type.startsWith('custom:');

/** The template's slots that an attestation of this scope could fill. */
function slotsFor(state: TrailState, template: Template, scope: Scope): TemplateSlot[] {
  if (scope.kind === 'trail') return template.trail.attestations;
  const names =
    scope.kind === 'named'
      ? [scope.artifact]
      : [...state.artifacts.values()]
          .filter((report) => report.fingerprint === scope.fingerprint)
          .map((report) => report.name);
  return template.trail.artifacts
    .filter(({ name }) => names.includes(name))
    .flatMap(({ attestations }) => attestations);
}
