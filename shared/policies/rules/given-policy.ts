import { invalid } from '#shared/base/errors.ts';
import { invalidField } from '#shared/base/validation.ts';
import { MOST_CONTROLS, type PolicyContent, readPolicy } from './policy.ts';

/** A policy as a request gives it. */
interface GivenPolicy {
  content: PolicyContent;
  /** The controls that it names: identifier → the first place in the text that names it. */
  controls: Map<string, string>;
}

/**
 * Reads and checks the text of a policy.
 * @throws ServiceError `invalid` with every problem under its place in the text (rules/policies.md#file-errors)
 */
export function readGivenPolicy(text: string): GivenPolicy {
  const reading = readPolicy(text);
  if (reading.outcome === 'refused') throw invalid(reading.errors);
  const { content } = reading;
  return { content, controls: namedControls(content) };
}

function namedControls({ attestations }: PolicyContent): Map<string, string> {
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
