import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import type { Micros } from '#shared/base/time.ts';
import type { AttestationStatus } from '#shared/evidence/rules/verdict.ts';
import type { Links, SeenAttestation, SeenEvaluation } from './seen.ts';

/** Where an attestation is, and what a list already says about it. */
interface AttestationPlace {
  flow: string;
  trail: string;
  name: string;
  type: string;
  id: string;
  compliant: boolean | null;
}

/**
 * Returns the step of an attestation, and below it the steps of what decided about it: the evaluation, or the rules of its custom
 * type (rules/reasons.md#steps).
 *
 * @param seen undefined if the attestation was not read
 */
export function attestationSteps(
  place: AttestationPlace,
  seen: SeenAttestation | undefined,
  links: Links,
): ReasonStep[] {
  const { flow, trail, name, id, compliant } = place;
  const step: ReasonStep = {
    step: 'attestation',
    name,
    says: seen ? saysOf(place, seen) : plainly(place),
    saw: seen?.saw ?? null,
    html_url: links.attestation(flow, trail, id),
    compliant,
  };
  if (!seen) return [step];
  return [step, ...evaluationSteps(seen, links), ...typeSteps(seen, links)];
}

const place = ({ name, trail }: { name: string; trail: string }): string => `\`${name}\` of ${trail}`;

const plainly = ({ name, trail, compliant }: AttestationPlace): string =>
  `${place({ name, trail })} was reported as ${wordOf(compliant)}`;

const wordOf = (compliant: boolean | null): string => (compliant ? 'compliant' : 'not compliant');

function saysOf({ name, trail, compliant }: AttestationPlace, seen: SeenAttestation): string {
  const what = place({ name, trail });
  const { by, at, saw, control, override } = seen;
  if (override) return overrideText(what, seen, override, at);
  if (control !== null) return `${by} decided that ${control} is ${compliant ? 'met' : 'not met'}, in ${what}`;
  return saw === null ? `${by} reported ${what} as ${wordOf(compliant)}` : `${saw} in ${what}`;
}

/** `released with an overridden failed snyk` is the sense of it: who replaced which verdict, when and why. */
function overrideText(
  what: string,
  { by, compliant }: SeenAttestation,
  { original, reason }: NonNullable<SeenAttestation['override']>,
  at: Micros,
): string {
  const before = original === null ? 'no result' : original ? 'a passed check' : 'a failed check';
  const why = reason === null ? 'the reason was erased' : reason;
  return `${by} overrode ${before} as ${wordOf(compliant)} on ${dayOf(at)}, in ${what}: ${why}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A day in UTC: `3 Nov 2026`. */
function dayOf(at: Micros): string {
  const day = new Date(at / 1000);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

const evaluationSteps = ({ evaluation, control, name }: SeenAttestation, links: Links): ReasonStep[] =>
  evaluation ? [evaluationStep(control ?? name, evaluation, links)] : [];

/**
 * Returns the step of an evaluation (rules/reasons.md#evaluations).
 *
 * @param subject what it decided about: the control, or the policy program where there is none
 */
export function evaluationStep(subject: string, evaluation: SeenEvaluation, links: Links): ReasonStep {
  const { id, allow, violations, decided } = evaluation;
  return {
    step: 'evaluation',
    name: subject,
    says: `${subject} ${allow ? 'allowed' : `denied: ${denialOf(evaluation)}`}`,
    saw: decided ? decided.what : (violations[0] ?? null),
    html_url: links.evaluation(id),
    compliant: allow,
  };
}

/** What an evaluation denied: the line where its program stopped, else what the program says itself. */
function denialOf({ violations, decided }: SeenEvaluation): string {
  const [first, ...others] = violations;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const line = decided && `(${decided.file}, line ${decided.line})`;
  if (first !== undefined) return `${first}${more}${line === null ? '' : ` ${line}`}`;
  return decided ? `${decided.what} ${line}` : 'the policy program does not allow it and names no violation';
}

function typeSteps({ type, name, trail }: SeenAttestation, links: Links): ReasonStep[] {
  if (!type) return [];
  const { rules, version } = type;
  const called = version === null ? type.name : `${type.name} v${version}`;
  return rules.map(({ text, compliant, reason }, n) => {
    const rule = text === null ? `rule ${n + 1}` : `rule \`${text}\``;
    return {
      step: 'type',
      name: called,
      says: `${rule} of ${type.name} ${compliant ? 'holds' : 'does not hold'} for ${place({ name, trail })}`,
      saw: compliant ? null : reason,
      html_url: links.type(type.name),
      compliant,
    };
  });
}

/** The place of an entry of a trail that has an attestation; null for one that has none. */
export function placeOfEntry(
  { flow, trail }: { flow: string; trail: string },
  entry: Pick<AttestationStatus, 'attestation_name' | 'attestation_type' | 'attestation_id' | 'is_compliant'>,
): AttestationPlace | null {
  const { attestation_name: name, attestation_type: type, attestation_id: id, is_compliant: compliant } = entry;
  return id === null ? null : { flow, trail, name, type, id, compliant };
}
