import type { RuleEvaluation } from '#shared/policies/rules/decision-schema.ts';
import { deniedText } from '#shared/policies/rules/sbom-reasons.ts';

export type AttestationDefinition = Extract<RuleEvaluation['rule'], { type: 'attestation' }>['definition'];

/** What a rule asks for, behind «asks»: `for a decision on SC-7`. */
export function wantedBy(rule: RuleEvaluation['rule']): string {
  switch (rule.type) {
    case 'provenance':
      return 'for a report of the artifact by a flow';
    case 'trail-compliance':
      return 'that the artifact is compliant in its trail';
    case 'sbom':
      return 'for an SBOM that can be read';
    case 'denied-component':
      return `that no SBOM lists ${deniedText(rule.definition)}`;
    case 'attestation':
      return attestationBy(rule.definition);
  }
}

function attestationBy({ name, type, for_control: control }: AttestationDefinition): string {
  if (control !== null) return `for a decision on ${control}${name === '*' ? '' : ` named \`${name}\``}`;
  if (name === '*') return type === '*' ? 'for an attestation' : `for an attestation of type ${type}`;
  return `for \`${name}\`${type === '*' ? '' : ` of type ${type}`}`;
}
