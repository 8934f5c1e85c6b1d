import { invalid } from '#shared/base/errors.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { FileRule } from '#shared/http/request.ts';
import { MOST_CONTROLS, type PolicyContent, readPolicy } from '#shared/policies/rules/policy.ts';

const PART = 'policy_file';

/**
 * The form part with the policy file, at most 1 MB (`rules/policies.md#save-a-policy`). It may also be a text field.
 */
export const POLICY_FILE: FileRule = {
  part: PART,
  alsoText: true,
  required: true,
  limit: 1024 * 1024,
  description: 'The policy: YAML, version 1',
};

/**
 * Reads and checks the policy file of a form.
 * @returns its text, unchanged, its content, and the controls that it names: identifier → the first place in the file that
 *   names it
 * @throws ServiceError 400 with every problem under its place in the file (`rules/policies.md#file-errors`)
 */
export function readPolicyFile(files: readonly FilePart[]): {
  text: string;
  content: PolicyContent;
  controls: Map<string, string>;
} {
  const file = files.find(({ part }) => part === PART);
  if (!file) throw invalidField(PART, 'Field required', undefined);
  const text = utf8(file.bytes);
  const reading = readPolicy(text);
  if (reading.outcome === 'refused') throw invalid(reading.errors);
  return { text, content: reading.content, controls: controlsOf(reading.content) };
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalid({ [PART]: 'The text is not UTF-8' }, error);
    throw error;
  }
}

function controlsOf({ attestations }: PolicyContent): Map<string, string> {
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
