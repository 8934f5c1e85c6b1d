import { EPOCH, type Micros } from '#shared/base/time.ts';
import type { AttestationStatus } from '#shared/evidence/rules/verdict.ts';
import type { PolicyDecision, RuleEvaluation } from '#shared/policies/rules/decision-schema.ts';
import { type FlowContext, type JudgedArtifact, policyJudge } from '#shared/policies/rules/evaluate.ts';
import { type PolicyContent, readPolicy } from '#shared/policies/rules/policy.ts';
import { decisionOf } from '#shared/policies/rules/results.ts';
import { testId } from '#test/support/ids.ts';

export const SCHEMA_URL = 'https://evidence.example/schemas/policy/v1';

export const FINGERPRINT = 'ab'.repeat(32);

/** Reads a policy file with these `artifacts`. JSON is valid YAML, so they are given as data. */
export function aPolicy(artifacts: Record<string, unknown> = {}): PolicyContent {
  const reading = readPolicy(JSON.stringify({ _schema: SCHEMA_URL, artifacts }));
  if (reading.outcome === 'refused') throw new Error(JSON.stringify(reading.errors));
  return reading.content;
}

export function refusals(text: string): Record<string, string> {
  const reading = readPolicy(text);
  return reading.outcome === 'refused' ? { ...reading.errors } : {};
}

export const anEntry = (more: Partial<AttestationStatus> = {}): AttestationStatus => ({
  attestation_name: 'unit-tests',
  attestation_type: 'junit',
  attestation_id: testId('aaaaaaaa-bbbb-cccc-dddd-eeeeeeee'),
  overridden_attestation_id: null,
  status: 'COMPLETE',
  is_compliant: true,
  unexpected: false,
  ...more,
});

/** An attestation that the template requires and that was not reported. */
export const aMissingEntry = (more: Partial<AttestationStatus> = {}): AttestationStatus =>
  anEntry({ attestation_id: null, status: 'MISSING', is_compliant: null, ...more });

export const aContext = (more: Partial<FlowContext> = {}): FlowContext => ({
  flow: { name: 'web', tags: {} },
  trail: 'release-1',
  artifactStatus: 'COMPLIANT',
  entries: [],
  attestedAt: (): Micros => EPOCH,
  ...more,
});

export const anArtifact = (more: Partial<JudgedArtifact> = {}): JudgedArtifact => ({
  name: 'web:1.2',
  fingerprint: FINGERPRINT,
  contexts: [aContext()],
  ...more,
});

/** What a decision about a control says. */
const ANSWERS = {
  satisfied: { compliant: true, at: EPOCH },
  non_compliant: { compliant: false, at: EPOCH },
  missing: null,
};
export type AnswerWord = keyof typeof ANSWERS;

/** For policies that name no control. */
export const noControls = (): AnswerWord => {
  throw new Error('no control was to be asked for');
};

export const judge = (
  content: PolicyContent,
  artifact: JudgedArtifact,
  answer: (question: { control: string; name: string }) => AnswerWord = noControls,
  name = 'strict',
): PolicyDecision =>
  decisionOf(
    policyJudge({ name, version: 3, content }, EPOCH)(artifact, (question) => ANSWERS[answer(question)]).result,
    artifact.contexts.map(({ flow, trail: trailName, artifactStatus: status }) => ({ ...flow, trailName, status })),
  );

/** The evaluation of the only rule of its kind. */
export function evaluationOf(decision: PolicyDecision, type: string): RuleEvaluation {
  const [found, another] = decision.rule_evaluations.filter(({ rule }) => rule.type === type);
  if (!found || another) throw new Error(`not one rule of the type ${type}`);
  return found;
}

export const resolutionTypes = (decision: PolicyDecision, type: string): string[] =>
  evaluationOf(decision, type).resolutions.map((resolution) => resolution.type);
