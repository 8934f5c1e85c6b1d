import * as z from 'zod';
import type { RuleOutcome } from '#shared/base/rule-outcome.ts';
import { CustomTypeName } from '../shared-fields.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const CustomReport = z
  .object({
    ...withAttachments,
    type_name: CustomTypeName.describe('Name of the custom attestation type'),
    attestation_data: z
      .unknown()
      .optional()
      .describe('The data that the rules of the type judge, and that match its JSON Schema'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'CustomAttestation', description: 'Data of a custom type, judged by the rules of its latest version.' });

/**
 * Data of a type that the organization defined (rules/attestations.md#custom). The caller adds `type_version` and
 * `rule_results` to the record and stores `attestation_data` as text.
 */
export const customKind = attestationKind({
  type: 'custom',
  segments: ['custom'],
  schema: CustomReport,
  recordType: ({ type_name }) => `custom:${type_name}`,
  slotType: ({ type_name }) => `custom:${type_name}`,
  verdict: ({ type_name }) => ({ customType: type_name }),
  evidence: ({ type_name }) => ({ type_name }),
});

/** The result of one rule of the type. */
interface RuleResult {
  is_compliant: boolean;
  /** Why the rule is not satisfied. */
  reason?: string;
}

/**
 * Computes the verdict of a custom type (rules/attestations.md#judging-custom-data): compliant if every rule gives
 * `true` and nothing else. Without rules the data is compliant.
 *
 * @param outcomes in the order of the rules
 */
export function customVerdict(outcomes: readonly RuleOutcome[]): { is_compliant: boolean; rule_results: RuleResult[] } {
  const rule_results = outcomes.map(ruleResult);
  return { is_compliant: rule_results.every((result) => result.is_compliant), rule_results };
}

function ruleResult(outcome: RuleOutcome): RuleResult {
  if (!outcome.ok) return { is_compliant: false, reason: outcome.error };
  if (outcome.outputs.length === 0) return { is_compliant: false, reason: 'The rule gave no output' };
  if (outcome.outputs.every((output) => output === true)) return { is_compliant: true };
  return { is_compliant: false, reason: 'The rule did not give true' };
}
