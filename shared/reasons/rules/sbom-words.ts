import type { Resolution, RuleEvaluation } from '#shared/policies/rules/decision-schema.ts';
import { proofWords } from '#shared/policies/rules/reasons.ts';
import { deniedText, sbomWords } from '#shared/policies/rules/sbom-reasons.ts';
import { wantedBy } from './asked-words.ts';
import type { SeenEntry, SeenTrail } from './seen.ts';

/** Says what the SBOMs of the artifact say, if a rule about them is not satisfied. */
export function sbomText(
  called: string,
  rule: RuleEvaluation['rule'],
  failed: Resolution,
): { says: string; saw: string } {
  const proof = proofWords(rule, failed.context);
  if (proof)
    return { says: `${called} asks ${wantedBy(rule)}: ${proof.asked}, found ${proof.found}`, saw: proof.found };
  const { says, saw } = sbomWords(rule, failed.context);
  if (rule.type !== 'denied-component') return { says: `${called} asks ${wantedBy(rule)}, and ${says}`, saw };
  const denied = `${called} denies ${deniedText(rule.definition)}`;
  if (failed.type === 'denied_component') return { says: `${denied}: ${says}`, saw };
  return { says: `${denied}, and nobody knows whether the artifact holds it: ${says}`, saw };
}

/** Says what the SBOM in a trail says that decided against a rule. */
export function sbomTextIn(
  called: string,
  rule: RuleEvaluation['rule'],
  { type, context }: Resolution,
  { flow, trail }: SeenTrail,
): { says: string; saw: string } {
  const { says, saw } = sbomWords(rule, context, (sbom) => `\`${sbom}\` of ${trail} of ${flow}`);
  if (type === 'denied_component') return { says: `${says}, which ${called} denies`, saw };
  if (rule.type === 'denied-component')
    return { says: `${says}, and ${called} denies ${deniedText(rule.definition)}`, saw };
  return { says: `${says}, and ${called} asks ${wantedBy(rule)}`, saw };
}

/** The SBOM that decided, where the trail has it. */
export const sbomsOf = ({ entries }: SeenTrail, { context: { found_in_sbom: found } }: Resolution): SeenEntry[] =>
  entries.filter((entry) => entry.status === 'COMPLETE' && found != null && entry.attestation_name === found.sbom);
