import { durationWords, SECOND, wordsOf } from '#shared/base/texts/durations.ts';
import type { PolicyDecision, Resolution, RuleEvaluation } from './decision-schema.ts';
import { deniedText, sbomWords } from './sbom-reasons.ts';

/**
 * Lists why an artifact is not compliant, one sentence per rule and flow that failed, for `reasons_for_incompliance`
 * (`rules/policies.md#reasons`).
 */
export const reasonsOf = (decisions: readonly PolicyDecision[]): string[] => reasonsWithGaps(decisions, () => []);

/** A trail by the names that a decision has. */
export interface TrailPlace {
  flow: string;
  trail: string;
}

/**
 * Lists the same sentences. The sentence that says that a trail is not compliant also says why
 * (`rules/lookups.md#assert-in-all-environments`).
 *
 * @param gapsIn returns what is wrong in a trail with the artifact, as sentences
 */
export const reasonsWithGaps = (
  decisions: readonly PolicyDecision[],
  gapsIn: (place: TrailPlace) => readonly string[],
): string[] =>
  decisions.flatMap(({ policy_name, policy_version, rule_evaluations }) =>
    rule_evaluations
      .filter(({ satisfied }) => satisfied === false)
      .flatMap(({ rule, resolutions }) =>
        resolutions.flatMap((resolution) => {
          const reason = reasonOf(rule, resolution);
          if (reason === null) return [];
          const gaps = gapsText(resolution, gapsIn);
          return [`Policy '${policy_name}' version ${policy_version}: ${reason}${placeOf(resolution)}${gaps}`];
        }),
      ),
  );

function reasonOf(rule: RuleEvaluation['rule'], { type, context }: Resolution): string | null {
  switch (type) {
    case 'rule_satisfied':
    case 'rule_not_applicable':
      return null;
    case 'missing_provenance':
      return 'no flow knows the artifact';
    case 'non_compliant_in_trail':
      return 'the artifact is not compliant in its trail';
    case 'missing_attestation':
      return `${wanted(rule, context.for_control)} is missing${whyMissing(rule, context)}`;
    case 'non_compliant_attestation':
      return `${wanted(rule, context.for_control)} is not compliant${otherRecalled(context)}`;
    case 'missing_sbom':
    case 'denied_component':
    case 'unknown_components':
      return sbomReason(rule, context);
  }
}

/** Says why what was reported does not count: too old, not signed as asked, or recalled. Empty if nothing was reported. */
function whyMissing(rule: RuleEvaluation['rule'], context: Resolution['context']): string {
  const found = `${ageText(rule, context)}${proofText(rule, context)}`;
  if (found !== '') return `${found}${otherRecalled(context)}`;
  return context.recalled_by ? `: the newest was recalled by ${quoted(context.recalled_by)}` : '';
}

/** Says why a rule about SBOMs is not satisfied (`rules/policies.md#sboms`). */
function sbomReason(rule: RuleEvaluation['rule'], context: Resolution['context']): string {
  if (rule.type !== 'denied-component')
    return `an SBOM is missing${proofText(rule, context) || sbomText(rule, context)}`;
  const { says } = sbomWords(rule, context);
  if (context.found_in_sbom?.why === 'denied') return `${says}, which is denied`;
  return `nobody knows whether the artifact holds ${deniedText(rule.definition)}: ${says}`;
}

/** Empty if nothing was reported: the sentence says that already. */
const sbomText = (rule: RuleEvaluation['rule'], context: Resolution['context']): string =>
  context.found_in_sbom?.why === 'none' ? '' : `: ${sbomWords(rule, context).says}`;

/** Says that evidence beside what was found was recalled (`rules/verified-evidence.md#effect-of-recalls`). */
const otherRecalled = ({ recalled_by: recalls }: Resolution['context']): string =>
  recalls ? `; another was recalled by ${quoted(recalls)}` : '';

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' and ');

/** Says how old the newest match is, if it is too old to count (`rules/policies.md#max-age`). */
function ageText(rule: RuleEvaluation['rule'], { age }: Resolution['context']): string {
  if (age === undefined || rule.type !== 'attestation' || rule.definition.max_age === undefined) return '';
  return `: the newest is ${durationWords(age * SECOND)} old, and the policy allows ${wordsOf(rule.definition.max_age)}`;
}

/** Says what the newest match has in place of what is asked for (`rules/policies.md#signatures`). */
const proofText = (rule: RuleEvaluation['rule'], context: Resolution['context']): string => {
  const { asked, found } = proofWords(rule, context) ?? {};
  return asked === undefined ? '' : `: ${asked}, found ${found}`;
};

/** @returns null unless no match is signed as the rule asks, or no decision counts for the control of the rule */
export function proofWords(
  rule: RuleEvaluation['rule'],
  { found_grade: grade, found_signer: signer }: Resolution['context'],
): { asked: string; found: string } | null {
  if (grade === undefined || (rule.type !== 'attestation' && rule.type !== 'sbom')) return null;
  const found = `${signer === undefined ? '' : `signer '${signer}' with `}grade ${grade}`;
  const { signed_by: signers, grade: least } = rule.definition;
  if (rule.type === 'attestation' && rule.definition.for_control !== null) {
    return { asked: 'the newest does not count for the control', found };
  }
  const asked = [
    ...(signers ? [`signed_by needs ${signers.map((name) => `'${name}'`).join(' or ')}`] : []),
    ...(least === undefined ? [] : [`grade needs ${least}`]),
  ].join(' and ');
  return { asked, found };
}

function wanted(rule: RuleEvaluation['rule'], control: string | undefined): string {
  if (control !== undefined) return `a decision for control '${control}'`;
  return rule.type === 'attestation'
    ? `an attestation '${rule.definition.name}' of type '${rule.definition.type}'`
    : '';
}

const placeOf = ({ context }: Resolution): string =>
  context.flow_name === null ? '' : ` (flow '${context.flow_name}', trail '${context.trail_name}')`;

/** Gaps of a trail that a sentence names. */
const MOST_NAMED = 3;

function gapsText({ type, context }: Resolution, gapsIn: (place: TrailPlace) => readonly string[]): string {
  const { flow_name: flow, trail_name: trail } = context;
  if (type !== 'non_compliant_in_trail' || flow === null || trail === null) return '';
  const gaps = gapsIn({ flow, trail });
  if (gaps.length === 0) return '';
  const more = gaps.length > MOST_NAMED ? `; ${gaps.length - MOST_NAMED} more` : '';
  return `: ${gaps.slice(0, MOST_NAMED).join('; ')}${more}`;
}
