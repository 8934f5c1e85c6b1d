/** Texts of policies, for tests that need nothing running as well. */

export const POLICY_HEADER = '_schema: https://schemas.example/schemas/policy/environment/v1\n';

/** The text of a policy from the lines below `artifacts`. */
export const policyText = (...lines: string[]): string =>
  POLICY_HEADER + (lines.length === 0 ? '' : `artifacts:\n${lines.map((line) => `  ${line}\n`).join('')}`);

/** Provenance and a compliant trail. */
export const STRICT = policyText('provenance: {required: true}', 'trail-compliance: {required: true}');
