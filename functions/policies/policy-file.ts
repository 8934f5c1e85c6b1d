import { invalid } from '#shared/base/errors.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { FileRule } from '#shared/http/request.ts';
import { readGivenPolicy } from '#shared/policies/rules/given-policy.ts';
import type { PolicyContent } from '#shared/policies/rules/policy.ts';

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
  return { text, ...readGivenPolicy(text) };
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalid({ [PART]: 'The text is not UTF-8' }, error);
    throw error;
  }
}
