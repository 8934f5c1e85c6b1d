import type { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { ControlAnswer, ControlQuestion } from '#shared/controls/rules/decisions.ts';
import { typeMatches } from '#shared/evidence/rules/binding.ts';
import type { AttestationStatus, StatusWord } from '#shared/evidence/rules/verdict.ts';
import type { Expression } from './expression/ast.ts';
import { type ExpressionScope, evaluateExpression } from './expression/evaluate.ts';
import { attestationDefinition, provenanceDefinition, trailComplianceDefinition } from './forms.ts';
import type { AttestationRule, BooleanRule, PolicyContent, ProvenanceRule } from './policy.ts';
import { distinctResults, outcomeLetters, type PolicyResult, type ResolutionType } from './results.ts';

/** An artifact in the latest trail of one flow that has the artifact (`rules/policies.md#contexts`). */
export interface FlowContext {
  flow: { name: string; tags: Readonly<Record<string, string>> };
  trail: string;
  /** The artifact's effective verdict in that trail (`rules/trails.md#effective-verdict`). */
  artifactStatus: StatusWord;
  /** Entries of the artifact and of the trail as a whole, overrides applied. Missing attestations may be among them. */
  entries: readonly AttestationStatus[];
  /** Who reported the artifact in that trail, as an issuer proved it. */
  origin?: ProvenOrigin | undefined;
}

/** One artifact that a policy evaluates. */
export interface JudgedArtifact {
  name: string;
  /** Empty if the runtime reported none. */
  fingerprint: string;
  /** One per flow, in the order of the artifact's `flows`. An artifact without contexts has no provenance. */
  contexts: readonly FlowContext[];
}

export interface PolicyVersion {
  name: string;
  version: number;
  content: PolicyContent;
}

/** Evaluates artifacts under one policy. */
type PolicyJudge = (artifact: JudgedArtifact, answer: (question: ControlQuestion) => ControlAnswer) => PolicyResult;

/**
 * Returns a function that evaluates one policy for one artifact after another (`rules/policies.md#evaluation`). A result
 * depends on the arguments only. Equal results are the same object, so many artifacts take little memory.
 *
 * The function calls `answer` once per context for each rule with `for_control` that applies in the context.
 */
export function policyJudge({ name, version, content }: PolicyVersion): PolicyJudge {
  const { provenance, trailCompliance, attestations } = content;
  const rules = [
    provenanceDefinition(provenance),
    trailComplianceDefinition(trailCompliance),
    ...attestations.map(attestationDefinition),
  ];
  const resultOf = distinctResults({ policy_name: name, policy_version: version, rules });
  return (artifact, answer) =>
    resultOf(
      contextsOf(artifact).map((context) =>
        outcomeLetters([
          provenanceOutcome(provenance, artifact, context),
          trailComplianceOutcome(trailCompliance, artifact, context),
          ...attestations.map((rule) => attestationOutcome(rule, artifact, context, answer)),
        ]),
      ),
    );
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

/**
 * An exception whose condition is absent or cannot be evaluated waives nothing
 * (`rules/policies.md#evaluation-problems`).
 */
const isWaived = ({ required, exceptions }: BooleanRule, scope: ExpressionScope): boolean =>
  !required || exceptions.some((exception) => exception.if !== null && isTrue(exception.if, scope, false));

/** A rule whose condition is absent or cannot be evaluated applies (`rules/policies.md#evaluation-problems`). */
const applies = (rule: AttestationRule, scope: ExpressionScope): boolean =>
  rule.if === null || isTrue(rule.if, scope, true);

function isTrue(expression: Expression, scope: ExpressionScope, onProblem: boolean): boolean {
  const outcome = evaluateExpression(expression, scope);
  return outcome.outcome === 'value' ? outcome.value : onProblem;
}

/** A reporter that cannot be evaluated does not satisfy the expression (`rules/policies.md#reported-by`). */
const isReportedBy = (expression: Expression | null, scope: ExpressionScope, identity?: ProvenOrigin): boolean =>
  expression === null || isTrue(expression, { ...scope, identity }, false);

const provenanceOutcome = (rule: ProvenanceRule, artifact: JudgedArtifact, context: Context): ResolutionType => {
  const scope = scopeOf(artifact, context);
  if (isWaived(rule, scope)) return 'rule_not_applicable';
  return context && isReportedBy(rule.reported_by, scope, context.origin) ? 'rule_satisfied' : 'missing_provenance';
};

/** Other artifacts of the trail do not matter (`rules/policies.md#trail-compliance-rule`). */
const trailComplianceOutcome = (rule: BooleanRule, artifact: JudgedArtifact, context: Context): ResolutionType => {
  if (isWaived(rule, scopeOf(artifact, context))) return 'rule_not_applicable';
  return context?.artifactStatus === 'COMPLIANT' ? 'rule_satisfied' : 'non_compliant_in_trail';
};

function attestationOutcome(
  rule: AttestationRule,
  artifact: JudgedArtifact,
  context: Context,
  answer: (question: ControlQuestion) => ControlAnswer,
): ResolutionType {
  if (!applies(rule, scopeOf(artifact, context))) return 'rule_not_applicable';
  const { for_control: control, name } = rule;
  return resolved(rule, control === null ? attestationAnswer(rule, artifact, context) : answer({ control, name }));
}

/** One compliant match is enough (`rules/policies.md#attestation-rule`). A missing attestation is no match. */
function attestationAnswer(
  { name, type, reported_by: reporter }: AttestationRule,
  artifact: JudgedArtifact,
  context: Context,
): ControlAnswer {
  const scope = scopeOf(artifact, context);
  const matches = (context?.entries ?? []).filter(
    (entry) =>
      entry.status === 'COMPLETE' &&
      (name === '*' || name === entry.attestation_name) &&
      typeMatches(type, entry.attestation_type) &&
      isReportedBy(reporter, scope, entry.origin),
  );
  if (matches.length === 0) return 'missing';
  return matches.some((entry) => entry.is_compliant === true) ? 'satisfied' : 'non_compliant';
}

function resolved({ must_be_compliant: strict }: AttestationRule, answer: ControlAnswer): ResolutionType {
  switch (answer) {
    case 'satisfied':
      return 'rule_satisfied';
    case 'non_compliant':
      return strict ? 'non_compliant_attestation' : 'rule_satisfied';
    case 'missing':
      return 'missing_attestation';
  }
}
