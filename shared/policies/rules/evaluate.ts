import type { AttestationId } from '#shared/base/ids.ts';
import { earliestOf, latestOf, type Micros, plus } from '#shared/base/time.ts';
import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { KnownComponents } from '#shared/components/rules/known-components.ts';
import type { ControlAnswer, ControlQuestion } from '#shared/controls/rules/decisions.ts';
import { isAskedFor } from '#shared/evidence/rules/binding.ts';
import { gradeOfSlot } from '#shared/evidence/rules/slot-proof.ts';
import type { RecalledEntry } from '#shared/evidence/rules/status-entries.ts';
import type { AttestationStatus, StatusWord } from '#shared/evidence/rules/verdict.ts';
import { applies, isTrue, isWaived } from './conditions.ts';
import { componentJudge } from './evaluate-components.ts';
import type { Expression } from './expression/ast.ts';
import type { ExpressionScope } from './expression/evaluate.ts';
import type { BooleanRule } from './fields.ts';
import { attestationDefinition, provenanceDefinition, trailComplianceDefinition } from './forms.ts';
import type { AttestationRule, PolicyContent, ProvenanceRule } from './policy.ts';
import {
  distinctResults,
  type FoundProof,
  MOST_RECALLS,
  outcomeText,
  type PolicyResult,
  type RuleOutcome,
} from './results.ts';
import { isSigned } from './signed.ts';

/** An artifact in the latest trail of one flow that has the artifact (`rules/policies.md#contexts`). */
export interface FlowContext {
  flow: { name: string; tags: Readonly<Record<string, string>> };
  trail: string;
  /** The artifact's effective verdict in that trail (`rules/trails.md#effective-verdict`). */
  artifactStatus: StatusWord;
  /** Entries of the artifact and of the trail as a whole, overrides applied. Missing attestations may be among them. */
  entries: readonly AttestationStatus[];
  /** Returns when an attestation of these entries was reported. */
  attestedAt(id: AttestationId): Micros;
  /** Who reported the artifact in that trail, as an issuer proved it. */
  origin?: ProvenOrigin | undefined;
  /** Evidence about the artifact or the trail that does not count, because recalls match it. */
  recalled?: readonly RecalledEntry[] | undefined;
}

/** One artifact that a policy evaluates. */
export interface JudgedArtifact {
  name: string;
  /** Empty if the runtime reported none. */
  fingerprint: string;
  /** One per flow, in the order of the artifact's `flows`. An artifact without contexts has no provenance. */
  contexts: readonly FlowContext[];
  /** What its SBOMs say; absent if nobody has read them: then nothing of them is known. */
  components?: KnownComponents | undefined;
}

export interface PolicyVersion {
  name: string;
  version: number;
  content: PolicyContent;
}

/** What a policy decided about an artifact. */
interface JudgedByPolicy {
  result: PolicyResult;
  /** The last instant at which every satisfied rule is satisfied by this evidence; null = age changes none of them. */
  freshUntil: Micros | null;
}

/** Evaluates artifacts under one policy. */
type PolicyJudge = (artifact: JudgedArtifact, answer: (question: ControlQuestion) => ControlAnswer) => JudgedByPolicy;

/** The outcome of a rule in a context, with the last instant at which the evidence still satisfies the rule. */
interface AgingOutcome extends RuleOutcome {
  freshUntil?: Micros;
}

/**
 * Returns a function that evaluates one policy for one artifact after another (`rules/policies.md#evaluation`). What it
 * returns depends on the arguments only. Equal results are the same object, so many artifacts take little memory.
 *
 * The function calls `answer` once per context for each rule with `for_control` that applies in the context.
 *
 * @param at the instant as of which attestations have an age
 */
export function policyJudge({ name, version, content }: PolicyVersion, at: Micros): PolicyJudge {
  const { provenance, trailCompliance, attestations } = content;
  const components = componentJudge(content);
  const rules = [
    provenanceDefinition(provenance),
    trailComplianceDefinition(trailCompliance),
    ...attestations.map(attestationDefinition),
    ...components.rules,
  ];
  const isAging = attestations.some(({ max_age: allowed }) => allowed !== null);
  const resultOf = distinctResults({ policy_name: name, policy_version: version, rules, ...(isAging && { at }) });
  return (artifact, answer) => {
    const componentOutcomes = components.judge(artifact.components);
    const contexts = contextsOf(artifact).map((context): AgingOutcome[] => [
      { type: provenanceOutcome(provenance, artifact, context) },
      { type: trailComplianceOutcome(trailCompliance, artifact, context) },
      ...attestations.map((rule) => attestationOutcome(rule, artifact, context, answer, at)),
      ...componentOutcomes(scopeOf(artifact, context)),
    ]);
    const ends = isAging ? contexts.flatMap((outcomes) => outcomes.flatMap(({ freshUntil }) => freshUntil ?? [])) : [];
    return {
      result: resultOf(contexts.map(outcomeText)),
      freshUntil: ends.length === 0 ? null : earliestOf(...ends),
    };
  };
}

/** Lists the questions about controls that the caller has to answer for an evaluation, each once. */
export function controlQuestions({ attestations }: PolicyContent): ControlQuestion[] {
  const questions = new Map<string, ControlQuestion>();
  for (const { for_control: control, name } of attestations) {
    // Identifiers contain no white space, so the key is unique.
    if (control !== null) questions.set(`${control} ${name}`, { control, name });
  }
  return [...questions.values()];
}

/** An artifact without a flow has one context, null, so that conditions on its name can be evaluated. */
type Context = FlowContext | null;

const contextsOf = ({ contexts }: JudgedArtifact): readonly Context[] => (contexts.length > 0 ? contexts : [null]);

const scopeOf = (artifact: JudgedArtifact, context: Context): ExpressionScope => ({
  flow: context?.flow ?? null,
  artifact,
});

/** A reporter that cannot be evaluated does not satisfy the expression (`rules/policies.md#reported-by`). */
const isReportedBy = (
  expression: Expression | null,
  scope: ExpressionScope,
  reported: Pick<ExpressionScope, 'identity' | 'statement'>,
): boolean => expression === null || isTrue(expression, { ...scope, ...reported }, false);

const provenanceOutcome = (rule: ProvenanceRule, artifact: JudgedArtifact, context: Context): RuleOutcome['type'] => {
  const scope = scopeOf(artifact, context);
  if (isWaived(rule, scope)) return 'rule_not_applicable';
  return context && isReportedBy(rule.reported_by, scope, { identity: context.origin })
    ? 'rule_satisfied'
    : 'missing_provenance';
};

/** Other artifacts of the trail do not matter (`rules/policies.md#trail-compliance-rule`). */
const trailComplianceOutcome = (rule: BooleanRule, artifact: JudgedArtifact, context: Context): RuleOutcome['type'] => {
  if (isWaived(rule, scopeOf(artifact, context))) return 'rule_not_applicable';
  return context?.artifactStatus === 'COMPLIANT' ? 'rule_satisfied' : 'non_compliant_in_trail';
};

function attestationOutcome(
  rule: AttestationRule,
  artifact: JudgedArtifact,
  context: Context,
  answer: (question: ControlQuestion) => ControlAnswer,
  at: Micros,
): AgingOutcome {
  if (!applies(rule, scopeOf(artifact, context))) return { type: 'rule_not_applicable' };
  const { for_control: control, name } = rule;
  if (control === null) {
    const outcome = outcomeOf(rule, matchesOf(rule, artifact, context), at);
    return outcome.type === 'rule_satisfied' ? outcome : { ...outcome, ...recalledFor(rule, context) };
  }
  const decision = answer({ control, name });
  if (decision?.recalledBy)
    return { type: 'missing_attestation', recalled: decision.recalledBy.slice(0, MOST_RECALLS) };
  if (decision?.refused) return { type: 'missing_attestation', found: decision.refused };
  return outcomeOf(rule, decision ? [{ compliant: decision.compliant, attested: () => decision.at }] : [], at);
}

/** The recalls of evidence that a rule asks for. Who reported it does not matter: the sentence says that it was recalled. */
function recalledFor(rule: AttestationRule, context: Context): Pick<RuleOutcome, 'recalled'> {
  const names = (context?.recalled ?? [])
    .filter((entry) => isAskedFor(rule, entry))
    .flatMap(({ recalls }) => recalls.map((recall) => recall.name));
  return names.length === 0 ? {} : { recalled: [...new Set(names)].slice(0, MOST_RECALLS) };
}

/** An attestation or a decision that a rule asks for. */
interface Match {
  compliant: boolean;
  /** Returns when it was reported. Most rules do not ask. */
  attested: () => Micros;
  /** Absent for decisions on controls. */
  found?: FoundProof;
}

/** The attestations that a rule asks for, whatever their age. A missing attestation is no match. */
function matchesOf(rule: AttestationRule, artifact: JudgedArtifact, context: Context): Match[] {
  if (!context) return [];
  const scope = scopeOf(artifact, context);
  const entries = context.entries.filter(
    (entry) =>
      entry.status === 'COMPLETE' &&
      isAskedFor(rule, entry) &&
      isReportedBy(rule.reported_by, scope, { identity: entry.origin, statement: entry.proof?.statement }),
  );
  return entries.map(({ is_compliant: compliant, attestation_id: id, proof, origin }) => ({
    compliant: compliant === true,
    found: { grade: gradeOfSlot({ proof, origin }), ...(proof?.signer && { signer: proof.signer.name }) },
    attested: () => {
      if (id === null) throw new Error('An attestation that was reported has no id');
      return context.attestedAt(id);
    },
  }));
}

/**
 * One compliant match is enough (`rules/policies.md#attestation-rule`). One that is not signed as asked or that is too old counts as
 * missing (`#signatures`, `#max-age`).
 */
function outcomeOf(rule: AttestationRule, reported: readonly Match[], at: Micros): AgingOutcome {
  const { must_be_compliant: strict, max_age: allowed } = rule;
  const matches = reported.filter(({ found }) => found === undefined || isSigned(rule, found));
  if (matches.length === 0 && reported.length > 0) return { type: 'missing_attestation', ...foundIn(reported) };
  const fresh = allowed === null ? matches : matches.filter(({ attested }) => at - attested() <= allowed);
  if (fresh.length === 0) {
    return { type: 'missing_attestation', ...(matches.length > 0 && { attested: newestOf(matches) }) };
  }
  const satisfying = strict ? fresh.filter(({ compliant }) => compliant) : fresh;
  if (satisfying.length === 0) return { type: 'non_compliant_attestation' };
  return { type: 'rule_satisfied', ...(allowed !== null && { freshUntil: plus(newestOf(satisfying), allowed) }) };
}

/** What the newest match has in place of the signature. */
function foundIn(reported: readonly Match[]): Pick<RuleOutcome, 'found'> {
  const newest = newestOf(reported);
  const found = reported.find(({ attested }) => attested() === newest)?.found;
  return found ? { found } : {};
}

const newestOf = (matches: readonly Match[]): Micros => latestOf(...matches.map(({ attested }) => attested()));
