import { invalidField } from '#shared/base/validation.ts';
import { MOST_CONTROLS, type PolicyContent } from './policy.ts';

/**
 * Returns the controls that a policy names: identifier → the first place in the file that names it.
 * @throws ServiceError `invalid` if it names too many (rules/policies.md#file-errors)
 */
export function namedControls({ attestations }: PolicyContent): Map<string, string> {
  const controls = new Map<string, string>();
  for (const [n, { for_control: control }] of attestations.entries()) {
    if (control === null || controls.has(control)) continue;
    const place = `artifacts.attestations[${n}].for_control`;
    if (controls.size === MOST_CONTROLS) {
      throw invalidField(place, `A policy should name at most ${MOST_CONTROLS} different controls`, control);
    }
    controls.set(control, place);
  }
  return controls;
}
