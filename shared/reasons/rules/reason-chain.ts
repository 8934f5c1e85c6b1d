import type { AttestationId } from '#shared/base/ids.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import { durationWords, SECOND, wordsOf } from '#shared/base/texts/durations.ts';
import { controlAnswer } from '#shared/controls/rules/decisions.ts';
import { isAskedFor } from '#shared/evidence/rules/binding.ts';
import type { PolicyDecision, Resolution, RuleEvaluation } from '#shared/policies/rules/decision-schema.ts';
import { proofWords } from '#shared/policies/rules/reasons.ts';
import { type AttestationDefinition, wantedBy } from './asked-words.ts';
import { attestationSteps } from './attestation-steps.ts';
import { sbomsOf, sbomText, sbomTextIn } from './sbom-words.ts';
import type { Links, SeenAttestations, SeenDecision, SeenEntry, SeenTrail } from './seen.ts';
import { namedRecalls, slotSteps, trailSteps } from './trail-steps.ts';

/** What decided about an artifact, and what it looked at. */
export interface JudgedSubject {
  /** The environment that decides; absent if flows or named policies decide. */
  environment?: {
    name: string;
    compliant: boolean | null;
    allowed: boolean;
    /** Why its verdict is unknown although policies decide: «No report since …». */
    unknown?: string | null;
  };
  decisions: readonly PolicyDecision[];
  /** The latest trail of each flow that has the artifact. */
  trails: readonly SeenTrail[];
  /** Decisions on controls, oldest first. Empty where they were not read. */
  controls: readonly SeenDecision[];
  attestations: SeenAttestations;
}

const ARTIFACT = 'the artifact';

/**
 * Resolves why an artifact is compliant or not, from the environment down to what was seen last (rules/reasons.md#steps).
 * Pure: it gets everything that it names.
 */
export function reasonChain(subject: JudgedSubject, links: Links): ReasonStep[] {
  const { environment, decisions, trails, attestations } = subject;
  const byFlows = decisions.length === 0 && !environment?.allowed;
  const below = byFlows
    ? trails.flatMap((trail) => trailSteps(trail, ARTIFACT, attestations, links))
    : decisions.flatMap((decision) => policySteps(decision, subject, links));
  return environment ? [environmentStep(environment, subject, links), ...below] : below;
}

function environmentStep(
  { name, compliant, allowed, unknown = null }: NonNullable<JudgedSubject['environment']>,
  { decisions, trails }: JudgedSubject,
  links: Links,
): ReasonStep {
  const by = allowed ? 'allow-list' : decisions.length > 0 ? 'policies' : trails.length > 0 ? 'flows' : null;
  return {
    step: 'environment',
    name,
    ...(unknown === null
      ? environmentText(name, compliant, by)
      : { says: `${name} is unknown: ${unknown}`, saw: 'silent' }),
    html_url: links.environment(name),
    compliant,
  };
}

function environmentText(name: string, compliant: boolean | null, by: string | null) {
  if (compliant === null || by === null) return { says: `nothing decides about the artifact in ${name}`, saw: null };
  const because = by === 'allow-list' ? ': it is on the allow-list' : '';
  return { says: `${name} ${compliant ? 'accepts' : 'refuses'} the artifact${because}`, saw: `decided by ${by}` };
}

function policySteps(decision: PolicyDecision, subject: JudgedSubject, links: Links): ReasonStep[] {
  const called = `${decision.policy_name} v${decision.policy_version}`;
  const html_url = links.policy(decision.policy_name);
  return decision.rule_evaluations
    .filter(({ rule }) => !('required' in rule.definition) || rule.definition.required)
    .flatMap((evaluated): ReasonStep[] => {
      const below = evaluated.ignored ? [] : belowRule(called, evaluated, subject, links);
      const own = { step: 'policy' as const, name: called, html_url, compliant: evaluated.satisfied };
      return [{ ...own, ...ruleText(called, evaluated, subject) }, ...below];
    });
}

function ruleText(
  called: string,
  evaluated: RuleEvaluation,
  { trails }: JudgedSubject,
): { says: string; saw: string | null } {
  const { rule, ignored, resolutions } = evaluated;
  const asks = `${called} asks ${wantedBy(rule)}`;
  if (ignored) return { says: `${asks}, but not of this artifact`, saw: 'does not apply' };
  const failed = resolutions.find(({ type }) => type !== 'rule_satisfied' && type !== 'rule_not_applicable');
  if (!failed) return { says: asks, saw: 'satisfied' };
  switch (failed.type) {
    case 'missing_provenance':
      return trails.length === 0
        ? unknownTo(called)
        : { says: `${asks}, and somebody else reported it`, saw: 'another reporter' };
    case 'missing_attestation':
      return missingText(called, rule, failed);
    case 'missing_sbom':
    case 'denied_component':
    case 'unknown_components':
      return sbomText(called, rule, failed);
    case 'non_compliant_in_trail':
      return trails.length === 0 ? unknownTo(called) : { says: asks, saw: 'not compliant in its trail' };
    default:
      return { says: `${asks} that is compliant${otherRecalled(failed)}`, saw: 'not compliant' };
  }
}

/** Says why a rule has nothing that counts: too old, not signed as asked, recalled, or nothing was reported. */
function missingText(called: string, rule: RuleEvaluation['rule'], failed: Resolution): { says: string; saw: string } {
  const asks = `${called} asks ${wantedBy(rule)}`;
  const age = ageOf(rule, failed);
  if (age !== null) {
    return { says: `${asks}, and the newest ${age.of} is ${age.says}${otherRecalled(failed)}`, saw: age.saw };
  }
  const proof = proofWords(rule, failed.context);
  if (proof) return { says: `${asks}: ${proof.asked}, found ${proof.found}${otherRecalled(failed)}`, saw: proof.found };
  const { recalled_by: recalls } = failed.context;
  if (recalls)
    return {
      says: `${asks}, and that of ${placeOf(failed)} was recalled by ${namedRecalls(recalls)}`,
      saw: 'recalled',
    };
  const undecided = undecidedText(called, rule);
  if (undecided !== null) return { says: undecided, saw: 'no decision' };
  return { says: `${asks}, and ${placeOf(failed)} has none`, saw: 'missing' };
}

/** Says that evidence beside what was found was recalled. */
const otherRecalled = ({ context: { recalled_by: recalls } }: Resolution): string =>
  recalls ? `; another was recalled by ${namedRecalls(recalls)}` : '';

/** @returns null for a rule without a control */
function undecidedText(called: string, rule: RuleEvaluation['rule']): string | null {
  if (rule.type !== 'attestation' || rule.definition.for_control === null) return null;
  const { for_control: control, name } = rule.definition;
  return `no decision for ${control}${name === '*' ? '' : ` named \`${name}\``} is recorded, and ${called} asks for one`;
}

/** @returns null unless everything that the rule asks for is older than it allows (rules/policies.md#max-age) */
function ageOf(rule: RuleEvaluation['rule'], { context: { age } }: Resolution) {
  if (age === undefined || rule.type !== 'attestation' || rule.definition.max_age === undefined) return null;
  const old = `${durationWords(age * SECOND)} old`;
  return {
    of: rule.definition.for_control === null ? 'one' : 'decision',
    says: `${old}, more than the ${wordsOf(rule.definition.max_age)} that the rule allows`,
    saw: old,
  };
}

const unknownTo = (called: string) => ({
  says: `no flow has a report of the artifact, and ${called} asks for one`,
  saw: 'no report',
});

const placeOf = ({ context }: Resolution): string => context.trail_name ?? 'the artifact';

/** The steps below a rule: one trail for each flow in which the rule applies, with what the rule looked at there. */
function belowRule(called: string, evaluated: RuleEvaluation, subject: JudgedSubject, links: Links): ReasonStep[] {
  const { rule, resolutions } = evaluated;
  if (rule.type === 'attestation' && rule.definition.for_control !== null) {
    return decisionSteps(rule.definition.for_control, rule.definition.name, subject, links);
  }
  return resolutions.flatMap((resolution) => {
    const { flow_name: flow, trail_name: name } = resolution.context;
    const trail = subject.trails.find((one) => one.flow === flow && one.trail === name);
    if (!trail || resolution.type === 'rule_not_applicable') return [];
    return stepsInTrail(called, { rule, resolution }, trail, subject, links);
  });
}

function stepsInTrail(
  called: string,
  { rule, resolution }: { rule: RuleEvaluation['rule']; resolution: Resolution },
  trail: SeenTrail,
  { attestations }: JudgedSubject,
  links: Links,
): ReasonStep[] {
  const satisfied = resolution.type === 'rule_satisfied';
  if (rule.type === 'trail-compliance') return trailSteps(trail, ARTIFACT, attestations, links);
  const step = { step: 'trail' as const, name: trail.trail, html_url: links.trail(trail.flow, trail.trail) };
  if (rule.type === 'sbom' || rule.type === 'denied-component') {
    const sboms = sbomsOf(trail, resolution);
    const own = { ...step, ...sbomTextIn(called, rule, resolution, trail), compliant: satisfied };
    const below = sboms.flatMap((entry) => slotSteps(trail, entry, attestations, links));
    return sboms.length === 0 ? [] : [own, ...below];
  }
  if (rule.type !== 'attestation') {
    const says = `${trail.flow} reported the artifact in ${trail.trail}`;
    return [{ ...step, says, saw: null, compliant: satisfied }];
  }
  const matches = matchesOf(rule.definition, trail);
  const age = ageOf(rule, resolution);
  const proof = proofWords(rule, resolution.context);
  const found = age
    ? { says: `what ${trail.trail} of ${trail.flow} has is ${age.says}`, saw: age.saw }
    : proof
      ? { says: `what ${trail.trail} of ${trail.flow} has is not signed as asked: ${proof.asked}`, saw: proof.found }
      : foundText(called, rule.definition, trail, matches, resolution);
  return [
    { ...step, ...found, compliant: satisfied },
    ...matches.flatMap((entry) => slotSteps(trail, entry, attestations, links)),
  ];
}

const matchesOf = (definition: AttestationDefinition, { entries }: SeenTrail): SeenEntry[] =>
  entries.filter((entry) => entry.status === 'COMPLETE' && isAskedFor(definition, entry));

function foundText(
  called: string,
  { name }: AttestationDefinition,
  { flow, trail }: SeenTrail,
  matches: readonly SeenEntry[],
  { type: outcome, context: { recalled_by: recalls } }: Resolution,
): { says: string; saw: string | null } {
  const what = name === '*' ? 'an attestation' : `\`${name}\``;
  if (matches.length === 0) {
    return recalls
      ? { says: `${what} of ${trail} of ${flow} was recalled by ${namedRecalls(recalls)}`, saw: 'recalled' }
      : { says: `${trail} of ${flow} lacks ${what}, which ${called} asks for`, saw: 'missing' };
  }
  // A report of somebody whom the policy does not accept counts as none.
  if (outcome !== 'rule_satisfied' && matches.some(({ is_compliant: compliant }) => compliant === true)) {
    return { says: `${called} does not accept who reported ${what} of ${trail}`, saw: 'another reporter' };
  }
  return { says: `${trail} of ${flow} has ${what}`, saw: null };
}

/**
 * The decision that answered a rule with a control: the latest one that matches and counts (rules/controls.md#answer). One that the
 * control refuses says so.
 */
function decisionSteps(
  control: string,
  name: string,
  { controls, attestations }: JudgedSubject,
  links: Links,
): ReasonStep[] {
  const decision = controlAnswer(controls, { control, name });
  const seen = decision && attestations.get(decision.id);
  if (!decision || !seen) return [];
  const { flow, trail } = seen;
  const place = { flow, trail, name: decision.name, type: 'decision', id: decision.id, compliant: decision.compliant };
  const steps = attestationSteps(place, seen, links);
  const { refused, recalledBy, recalledSince } = decision;
  if (recalledSince) {
    return steps.map((step, n) =>
      n === 0 ? { ...step, says: `${step.says}, recalled since by ${namedRecalls(recalledSince)}` } : step,
    );
  }
  if (refused === undefined) return steps;
  return steps.slice(0, 1).map((step) => ({
    ...step,
    says: recalledBy
      ? `${step.says}, which was recalled by ${namedRecalls(recalledBy)}`
      : `${step.says}, which does not count for ${control}`,
    saw: recalledBy ? 'recalled' : `grade ${refused.grade}`,
    compliant: false,
  }));
}

/** The decisions on controls that answered the rules of policies. */
export const decidingIds = (decisions: readonly PolicyDecision[], controls: readonly SeenDecision[]): AttestationId[] =>
  decisions.flatMap(({ rule_evaluations: rules }) =>
    rules.flatMap(({ rule }) => {
      if (rule.type !== 'attestation' || rule.definition.for_control === null) return [];
      const { for_control: control, name } = rule.definition;
      return controlAnswer(controls, { control, name })?.id ?? [];
    }),
  );
