import * as z from 'zod';
import type { RuleOutcome } from '#shared/base/rule-outcome.ts';
import { CustomTypeName } from '../shared-fields.ts';
import { attestationKind, withAttachments } from './kind.ts';

const CustomReport = z
  .object({ ...withAttachments, type_name: CustomTypeName, attestation_data: z.unknown().optional() })
  .meta({ id: 'CustomAttestation', description: 'Data of a custom type, judged by the rules of its latest version.' });

/**
 * Data of a type that the organization defined. The record also keeps `type_version` and `rule_results`, which the
 * caller adds to the evidence; `attestation_data` is a body of its own, kept as text.
 */
export const customKind = attestationKind({
  type: 'custom',
  segments: ['custom'],
  schema: CustomReport,
  recordType: ({ type_name }) => `custom:${type_name}`,
  slotType: ({ type_name }) => `custom:${type_name}`,
  verdict: null,
  evidence: ({ type_name }) => ({ type_name }),
});

/** What became of one rule of the type, in the rules' order. */
export interface RuleResult {
  is_compliant: boolean;
  /** Why it is not. */
  reason?: string;
}

/**
 * Semantics §4: compliant when every rule gives exactly `true`. A rule that fails, gives nothing, or gives anything
 * else beside it is false. No rules: compliant.
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
