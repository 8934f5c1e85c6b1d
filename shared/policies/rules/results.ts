import { type Micros, StoredMicros, secondsOf, toSeconds } from '#shared/base/time.ts';
import type { StatusWord } from '#shared/evidence/rules/verdict.ts';
import { GRADES, type Grade } from '#shared/evidence/rules/verification.ts';
import type { PolicyDecision, Resolution, RuleDefinition, RuleEvaluation } from './decision-schema.ts';
import { type FoundInSbom, readSbomMark, sbomMark } from './sbom-marks.ts';

type ResolutionType = Resolution['type'];

/** The letter of each outcome of a rule. Stored snapshots contain these letters (`rules/environments.md#content`). */
const LETTERS = {
  rule_satisfied: 's',
  rule_not_applicable: '-',
  missing_provenance: 'p',
  non_compliant_in_trail: 't',
  missing_attestation: 'm',
  non_compliant_attestation: 'n',
  missing_sbom: 'b',
  denied_component: 'd',
  unknown_components: 'u',
} as const satisfies Record<ResolutionType, string>;

const OUTCOMES: ReadonlyMap<string, ResolutionType> = new Map(
  // The keys are those of LETTERS.
  Object.entries(LETTERS).map(([type, letter]) => [letter, type as ResolutionType]),
);

/** The outcome of a rule in a context. */
export interface RuleOutcome {
  type: ResolutionType;
  /** Time of the newest match, if every match is older than the rule allows (`rules/policies.md#max-age`). */
  attested?: Micros;
  /** What the newest match has, if no match is signed as the rule asks (`rules/policies.md#signatures`). */
  found?: FoundProof;
  /** Names of the recalls of evidence that the rule would have looked at; absent if there are none. */
  recalled?: readonly string[];
  /** What the SBOMs of the artifact say, if a rule about them is not satisfied (`rules/policies.md#sboms`). */
  sbom?: FoundInSbom;
}

/** Grade and signer of a match, as far as reasons name them. */
export interface FoundProof {
  grade: Grade;
  /** Name of the signer; absent if nobody signed. */
  signer?: string | undefined;
}

/** Most recalls that an outcome names: results are stored for each artifact. */
export const MOST_RECALLS = 5;

/** Only these letters leave an artifact compliant. */
const IS_COMPLIANT = /^[s-]*$/;

/**
 * What one policy decided about artifacts, without what differs between artifacts with the same outcomes: the names of
 * flows and trails. {@link decisionOf} adds them.
 */
export interface PolicyResult {
  policy_name: string;
  policy_version: number;
  status: PolicyDecision['status'];
  /** The rules in the order in which a decision shows them. */
  rules: readonly RuleDefinition[];
  /**
   * One text per context, with one letter per rule. An artifact without flows has one context. The letters are followed by
   * ` <index of the rule>@<microseconds>` for each rule whose newest match is older than the rule allows, and by
   * ` <index of the rule>~<grade>` or ` <index of the rule>~<grade>~<signer>` for each rule whose matches are not signed as it asks,
   * and by ` <index of the rule>!<recall>!<recall>` for each rule that is not satisfied and whose evidence was recalled,
   * and by ` <index of the rule>=<why>=<SBOM>=<version>=<more>` for each rule about SBOMs that is not satisfied.
   */
  outcomes: readonly string[];
  /** The instant of the evaluation. Only if a rule of the policy limits ages, and not in evaluations of earlier releases. */
  at?: Micros | undefined;
}

/** A flow of an artifact, as resolutions show it. */
interface ResultPlace {
  name: string;
  trailName: string;
  /** The artifact's effective verdict in the trail. */
  status: StatusWord;
}

/** Writes the outcomes of all rules in one context, as {@link PolicyResult.outcomes} has them. */
export const outcomeText = (outcomes: readonly RuleOutcome[]): string =>
  outcomes.map(({ type }) => LETTERS[type]).join('') +
  outcomes.map(({ attested }, i) => (attested === undefined ? '' : ` ${i}@${attested}`)).join('') +
  outcomes.map(({ found }, i) => (found === undefined ? '' : ` ${i}${foundText(found)}`)).join('') +
  outcomes.map(({ recalled }, i) => (recalled === undefined ? '' : ` ${[i, ...recalled].join('!')}`)).join('') +
  outcomes.map(({ sbom }, i) => (sbom === undefined ? '' : ` ${i}=${sbomMark(sbom)}`)).join('');

/** Names of signers and of recalls contain neither `~` nor `!` nor `@` nor white space. */
const foundText = ({ grade, signer }: FoundProof): string => `~${grade}${signer === undefined ? '' : `~${signer}`}`;

/** A text that {@link outcomeText} has not written. */
export class UnreadableOutcome extends Error {}

/**
 * Reads what {@link outcomeText} wrote.
 *
 * @returns a function that returns the outcome of a rule; undefined for a rule without a known letter
 * @throws UnreadableOutcome
 */
export function readOutcomes(text: string): (rule: number) => RuleOutcome | undefined {
  const [letters = '', ...marks] = text.split(' ');
  const found = new Map(marks.filter((one) => one.includes('~')).map(readFound));
  const recalls = new Map(marks.filter((one) => one.includes('!')).map(readRecalled));
  const times = new Map(marks.filter((one) => one.includes('@')).map(readAttested));
  const sboms = new Map(marks.filter((one) => one.includes('=')).map(readSbom));
  return (rule) => {
    const type = OUTCOMES.get(letters[rule] ?? '');
    const at = times.get(rule);
    const proof = found.get(rule);
    const recalled = recalls.get(rule);
    const sbom = sboms.get(rule);
    return (
      type && {
        type,
        ...(at !== undefined && { attested: at }),
        ...(proof && { found: proof }),
        ...(recalled && { recalled }),
        ...(sbom && { sbom }),
      }
    );
  };
}

function readAttested(mark: string): [rule: number, at: Micros] {
  const [rule, time] = mark.split('@').map(Number);
  const at = StoredMicros.safeParse(time);
  if (!at.success) throw new UnreadableOutcome(`A result names the instant '${mark}', which is none`);
  return [Number(rule), at.data];
}

function readRecalled(mark: string): [rule: number, recalls: string[]] {
  const [rule, ...recalls] = mark.split('!');
  return [Number(rule), recalls];
}

function readSbom(mark: string): [rule: number, sbom: FoundInSbom] {
  const end = mark.indexOf('=');
  const sbom = readSbomMark(mark.slice(end + 1));
  if (sbom === null) throw new UnreadableOutcome(`A result says '${mark}' of an SBOM, which nobody writes`);
  return [Number(mark.slice(0, end)), sbom];
}

function readFound(mark: string): [rule: number, found: FoundProof] {
  const [rule, word, signer] = mark.split('~');
  const grade = GRADES.find((one) => one === word);
  if (grade === undefined) throw new UnreadableOutcome(`A result names the unknown grade ${word}`);
  return [Number(rule), { grade, ...(signer !== undefined && { signer }) }];
}

/** Returns a function that makes the result of a policy from its outcomes. Equal outcomes give the same object. */
export function distinctResults(
  policy: Pick<PolicyResult, 'policy_name' | 'policy_version' | 'rules' | 'at'>,
): (outcomes: readonly string[]) => PolicyResult {
  const known = new Map<string, PolicyResult>();
  return (outcomes) => {
    const key = outcomes.join('\n');
    const result = known.get(key) ?? policyResult(policy, outcomes);
    known.set(key, result);
    return result;
  };
}

/** Makes a result. The outcomes decide its status. */
export const policyResult = (
  { policy_name, policy_version, rules, at }: Pick<PolicyResult, 'policy_name' | 'policy_version' | 'rules' | 'at'>,
  outcomes: readonly string[],
): PolicyResult => ({
  policy_name,
  policy_version,
  status: outcomes.every((letters) => IS_COMPLIANT.test(letters)) ? 'COMPLIANT' : 'NON-COMPLIANT',
  rules,
  outcomes,
  ...(at !== undefined && { at }),
});

/**
 * Returns the decision that a result stands for (`rules/policies.md#decision`).
 * @param places the flows of the artifact, in the order of its contexts
 * @throws Error if the result has other contexts, or a letter that stands for no outcome
 */
export function decisionOf(
  { policy_name, policy_version, status, rules, outcomes, at }: PolicyResult,
  places: readonly ResultPlace[],
): PolicyDecision {
  if (outcomes.length !== Math.max(1, places.length)) {
    throw new Error(`A result of policy ${policy_name} has ${outcomes.length} contexts for ${places.length} flows`);
  }
  const contexts = outcomes.map(readOutcomes);
  return {
    policy_name,
    policy_version,
    status,
    rule_evaluations: rules.map((rule, i) =>
      combined(
        rule,
        contexts.map((outcomeOf, n) => {
          const outcome = outcomeOf(i);
          if (!outcome) throw new Error(`A result of policy ${policy_name} has no outcome for rule ${i}`);
          const { type, attested, found, recalled, sbom } = outcome;
          const context = { ...contextOf(rule, places[n]), ...ageOut(attested, at), ...foundOut(found) };
          return {
            type,
            context: {
              ...context,
              ...(recalled && { recalled_by: [...recalled] }),
              ...(sbom && { found_in_sbom: sbom }),
            },
          };
        }),
      ),
    ),
  };
}

/** @param at the instant of the evaluation */
const ageOut = (attested: Micros | undefined, at: Micros | undefined) =>
  attested === undefined || at === undefined
    ? {}
    : { attested_at: toSeconds(attested), age: Math.floor(secondsOf(at - attested)) };

const foundOut = (found: FoundProof | undefined) =>
  found ? { found_grade: found.grade, ...(found.signer !== undefined && { found_signer: found.signer }) } : {};

function contextOf(rule: RuleDefinition, place: ResultPlace | undefined): Resolution['context'] {
  const control = rule.type === 'attestation' ? rule.definition.for_control : null;
  return {
    flow_name: place?.name ?? null,
    trail_name: place?.trailName ?? null,
    artifact_status: rule.type === 'trail-compliance' ? (place?.status ?? null) : null,
    ...(control !== null && { for_control: control }),
  };
}

/**
 * Combines the resolutions of a rule: the rule is satisfied if every context in which it applies satisfies it
 * (`rules/policies.md#combination`).
 */
function combined(rule: RuleDefinition, resolutions: Resolution[]): RuleEvaluation {
  const applicable = resolutions.filter(({ type }) => type !== 'rule_not_applicable');
  const ignored = applicable.length === 0;
  const satisfied = ignored ? null : applicable.every(({ type }) => type === 'rule_satisfied');
  return { rule, satisfied, ignored, resolutions };
}
