import { hash } from 'node:crypto';
import { type Fingerprint, isKnownFingerprint } from '#shared/base/ids.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import { type ControlDecision, controlAnswer } from '#shared/controls/rules/decisions.ts';
import {
  type Owner,
  type Reading,
  readPresences,
  readVerdictsInFlows,
  type VerdictInFlow,
} from '#shared/evidence/flow-verdicts.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { controlQuestions, evaluatePolicy, type PolicyVersion } from '#shared/policies/rules/evaluate.ts';
import { artifactVerdict } from '#shared/policies/rules/verdicts.ts';
import type { CountReads } from '#shared/table/read-each.ts';

import { evidenceReads } from './read-limit.ts';
import type { RowFlow, SnapshotRow } from './rules/content.ts';
import type { RunningArtifact } from './rules/running.ts';

/** The result of evaluating an artifact. Its annotation comes later, from the comparison with the snapshot before. */
export type Evaluation = Pick<SnapshotRow, 'flows' | 'decisions' | 'evaluations' | 'compliant' | 'allowed'>;

/** A value, or a read that is still running, so that it runs in parallel with other reads. */
type MaybePending<T> = T | Promise<T>;

/**
 * Evaluates what runs by the present evidence (rules/environments.md#verdicts, rules/policies.md#evaluation). Costs two
 * round trips to the database for any number of artifacts, in parallel with the reads of policies and allow-list. If
 * policies name controls and an artifact was reported several times in one flow, it costs a third.
 * @param policies decisions stand in this order
 * @param allowed fingerprints on the environment's allow-list
 * @returns the artifacts in the given order, each with its evaluation
 */
export async function evaluateArtifacts<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  policies: MaybePending<readonly PolicyVersion[]>,
  allowed: MaybePending<ReadonlySet<string>>,
  countReads?: CountReads,
): Promise<(A & Evaluation)[]> {
  const [presences, attached, listed] = await Promise.all([
    readPresences(reading, org, fingerprintsOf(running)),
    policies,
    allowed,
  ]);
  return evaluateWithEvidence(reading, org, running, { presences, policies: attached, allowed: listed }, countReads);
}

/** The distinct fingerprints of what runs, without the empty one, which stands for an unknown digest. */
export const fingerprintsOf = (running: readonly RunningArtifact[]): Set<Fingerprint> =>
  new Set(running.map(({ fingerprint }) => fingerprint).filter(isKnownFingerprint));

/**
 * The second round trip of {@link evaluateArtifacts}: reads the evidence in the flows that have the artifacts, then
 * evaluates.
 * @param known what the first round trip read; `presences` says per fingerprint which flows have it
 * @param countReads called before the reads of each round trip begin
 */
export async function evaluateWithEvidence<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  known: {
    presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>;
    policies: readonly PolicyVersion[];
    allowed: ReadonlySet<string>;
  },
  countReads: CountReads = () => undefined,
): Promise<(A & Evaluation)[]> {
  const { presences, policies, allowed } = known;
  const questions = policies.flatMap(({ content }) => controlQuestions(content));
  countReads(evidenceReads(presences.values(), new Set(questions.map(({ control }) => control)).size));
  const [verdicts, decisions] = await Promise.all([
    readVerdictsInFlows(reading, org, presences),
    readControlDecisions(reading, org, presences, questions, countReads),
  ]);
  return running.map((artifact) => ({
    ...artifact,
    ...evaluateArtifact(artifact, {
      verdicts: artifact.fingerprint === '' ? [] : (verdicts.get(artifact.fingerprint) ?? []),
      decisions: decisions.get(artifact.fingerprint) ?? [],
      policies,
      allowed: allowed.has(artifact.fingerprint),
    }),
  }));
}

interface EvaluationInput {
  /** One per flow, in the order in which flows first had the artifact. */
  verdicts: readonly VerdictInFlow[];
  /** Decisions on controls, oldest first. */
  decisions: readonly ControlDecision[];
  policies: readonly PolicyVersion[];
  allowed: boolean;
}

/** Evaluates one artifact. Pure: reads nothing but its arguments (rules/policies.md#evaluation). */
export function evaluateArtifact(
  { name, fingerprint }: Pick<RunningArtifact, 'name' | 'fingerprint'>,
  { verdicts, decisions, policies, allowed }: EvaluationInput,
): Evaluation {
  const contexts = verdicts.map(({ flow, presence, status, entries, entry }) => ({
    flow,
    trail: presence.trail,
    artifactStatus: status,
    entries,
    origin: entry.origin,
  }));
  const artifact = { name, fingerprint, contexts };
  const evaluations = policies.map((policy) =>
    evaluatePolicy(policy, artifact, (question) => controlAnswer(decisions, question)),
  );
  return {
    flows: verdicts.map(rowFlow),
    // The same code always builds the decisions, so their members have the same order and equal decisions equal texts.
    decisions: hash('sha256', JSON.stringify(evaluations)),
    evaluations,
    compliant: artifactVerdict(evaluations, allowed, policies.length > 0),
    allowed,
  };
}

const rowFlow = ({ presence, flow, trail, commit, status, compliant, reasons }: VerdictInFlow): RowFlow => ({
  flow: presence.flow,
  name: flow.name,
  trail,
  trailName: presence.trail,
  slot: presence.name,
  report: presence.artifact,
  commit,
  status,
  compliant,
  reasons,
});
