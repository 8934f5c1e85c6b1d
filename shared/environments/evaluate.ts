import { hash } from 'node:crypto';
import { type Fingerprint, isKnownFingerprint } from '#shared/base/ids.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import { type ControlDecision, controlAnswer } from '#shared/controls/rules/decisions.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { type Owner, type Reading, readPresences, readVouchings, type Vouching } from '#shared/evidence/vouching.ts';
import { controlQuestions, evaluatePolicy } from '#shared/policies/rules/evaluate.ts';
import { artifactVerdict } from '#shared/policies/rules/verdicts.ts';
import type { AttachedPolicy } from './attached-policies.ts';
import type { RowFlow, SnapshotRow } from './rules/content.ts';
import type { RunningArtifact } from './rules/running.ts';

/** What an evaluation finds out about an artifact; what became of it since is for the comparison to say. */
export type Evaluation = Pick<SnapshotRow, 'flows' | 'decisions' | 'evaluations' | 'compliant' | 'allowed'>;

/** A value, or the reading of it that is under way beside others. */
type Coming<T> = T | Promise<T>;

/**
 * Judges what runs by the evidence of this moment (semantics §5.6, §6.3): in two round trips of the database, whatever
 * the number of artifacts, beside the reading of policies and allow-list; a third where policies name controls and
 * artifacts were reported several times in one flow.
 * @param policies that judge; their order is that of the decisions
 * @param allowed fingerprints on the environment's allow-list
 * @returns the artifacts in their order, each with its evaluation
 */
export async function evaluateArtifacts<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  policies: Coming<readonly AttachedPolicy[]>,
  allowed: Coming<ReadonlySet<string>>,
): Promise<(A & Evaluation)[]> {
  const [presences, attached, listed] = await Promise.all([
    readPresences(reading, org, fingerprintsOf(running)),
    policies,
    allowed,
  ]);
  return judgeArtifacts(reading, org, running, { presences, policies: attached, allowed: listed });
}

/** The distinct fingerprints of what runs; where the reporter could not find one out, there is none. */
export const fingerprintsOf = (running: readonly RunningArtifact[]): Set<Fingerprint> =>
  new Set(running.map(({ fingerprint }) => fingerprint).filter(isKnownFingerprint));

/** The second half of {@link evaluateArtifacts}: what depends on where the artifacts were reported. */
export async function judgeArtifacts<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  known: {
    presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>;
    policies: readonly AttachedPolicy[];
    allowed: ReadonlySet<string>;
  },
): Promise<(A & Evaluation)[]> {
  const { presences, policies, allowed } = known;
  const [vouchings, decisions] = await Promise.all([
    readVouchings(reading, org, presences),
    readControlDecisions(
      reading,
      org,
      presences,
      policies.flatMap(({ content }) => controlQuestions(content)),
    ),
  ]);
  return running.map((artifact) => ({
    ...artifact,
    ...evaluateArtifact(artifact, {
      vouchings: artifact.fingerprint === '' ? [] : (vouchings.get(artifact.fingerprint) ?? []),
      decisions: decisions.get(artifact.fingerprint) ?? [],
      policies,
      allowed: allowed.has(artifact.fingerprint),
    }),
  }));
}

interface Grounds {
  /** One per flow, in the order in which flows first had the artifact. */
  vouchings: readonly Vouching[];
  /** On controls, oldest first. */
  decisions: readonly ControlDecision[];
  policies: readonly AttachedPolicy[];
  allowed: boolean;
}

/** The evaluation of one artifact, from nothing but what is given (semantics §6.3.8). */
export function evaluateArtifact(
  { name, fingerprint }: Pick<RunningArtifact, 'name' | 'fingerprint'>,
  { vouchings, decisions, policies, allowed }: Grounds,
): Evaluation {
  const contexts = vouchings.map(({ flow, presence, status, entries }) => ({
    flow,
    trail: presence.trail,
    artifactStatus: status,
    entries,
  }));
  const artifact = { name, fingerprint, contexts };
  const evaluations = policies.map((policy) =>
    evaluatePolicy(policy, artifact, (question) => controlAnswer(decisions, question)),
  );
  return {
    flows: vouchings.map(rowFlow),
    // Always made by the same code, and so with their members in the same order.
    decisions: hash('sha256', JSON.stringify(evaluations)),
    evaluations,
    compliant: artifactVerdict(evaluations, allowed, policies.length > 0),
    allowed,
  };
}

const rowFlow = ({ presence, flow, trail, status, compliant, reasons }: Vouching): RowFlow => ({
  flow: presence.flow,
  name: flow.name,
  trail,
  trailName: presence.trail,
  slot: presence.name,
  report: presence.artifact,
  status,
  compliant,
  reasons,
});
