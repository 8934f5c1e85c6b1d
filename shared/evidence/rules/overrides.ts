import { byNumber, competingSlots } from './binding.ts';
import type { Template, TemplateSlot } from './template.ts';
import type { AttestationSlot, Scope, TrailState } from './trail-state.ts';

/** What an override replaces (rules/trails.md#overrides). */
interface Overridden {
  /** The type of the slot: the full type of the original, for example `custom:coverage`. */
  type: string;
  /** The latest attestation of that name and type, which may be an override itself; null if there is none. */
  original: AttestationSlot | null;
}

/**
 * Finds the attestation that an override replaces. For the plain type `custom`, the full type comes from the newest
 * custom attestation of that name, else from the template's custom slot of that name, else it stays `custom`
 * (rules/attestations.md#plain-custom).
 *
 * @param name name of the attestation
 * @param type `original_attestation_type` of the report, as templates spell it
 */
export function findOverridden(
  state: TrailState,
  template: Template,
  scope: Scope,
  name: string,
  type: string,
): Overridden {
  const original = competingSlots(state, scope)
    .filter((slot) => slot.name === name && (slot.type === type || (type === 'custom' && isCustom(slot))))
    .toSorted(byNumber)
    .at(-1);
  if (original) return { type: original.type, original };
  if (type !== 'custom') return { type, original: null };
  const expected = slotsFor(state, template, scope).find((slot) => slot.name === name && isCustom(slot));
  return { type: expected?.type ?? type, original: null };
}

const isCustom = ({ type }: { type: string }) => type.startsWith('custom:');

/** Returns the template's slots that an attestation of this scope can fill. */
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
