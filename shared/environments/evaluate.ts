import { type Fingerprint, isKnownFingerprint } from '#shared/base/ids.ts';
import { earliestOf, type Micros } from '#shared/base/time.ts';
import { type AskedArtifacts, readKnownComponents } from '#shared/components/read-known-components.ts';
import type { KnownComponents } from '#shared/components/rules/known-components.ts';
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
import { packagesAsked } from '#shared/policies/rules/component-rules.ts';
import { controlQuestions, type PolicyVersion, policyJudge } from '#shared/policies/rules/evaluate.ts';
import { artifactVerdict } from '#shared/policies/rules/verdicts.ts';
import { policyWork } from '#shared/policies/rules/work.ts';
import type { CountReads } from '#shared/table/read-each.ts';
import { type CountChecks, checkLimit, readFacts, unreadFacts, workOf } from './limits/check-limit.ts';
import { evidenceReads, readLimit } from './limits/read-limit.ts';
import { decisionsDigest, type RowFlow, type SnapshotRow } from './rules/content.ts';
import type { RunningArtifact } from './rules/running.ts';

/** The result of evaluating an artifact. Its annotation comes later, from the comparison with the snapshot before. */
export interface Evaluation extends Pick<SnapshotRow, 'flows' | 'decisions' | 'evaluations' | 'compliant' | 'allowed'> {
  /** The last instant at which no rule fails by age alone; null = there is none, or the allow-list decides. Not stored. */
  freshUntil: Micros | null;
}

/** What refuses an evaluation that is too large (rules/environments.md#large-reports). */
interface EvaluationLimits {
  reads: CountReads;
  checks: CountChecks;
}

/** @param field the field of the request that the errors name */
export const evaluationLimits = (field: string): EvaluationLimits => ({
  reads: readLimit(field),
  checks: checkLimit(field),
});

/** The expander evaluates logical environments without limits: no request waits for them. */
const UNLIMITED: EvaluationLimits = { reads: () => undefined, checks: () => undefined };

/** A value, or a read that is still running, so that it runs in parallel with other reads. */
type MaybePending<T> = T | Promise<T>;

/**
 * Evaluates what runs by the present evidence (rules/environments.md#verdicts, rules/policies.md#evaluation). Costs two
 * round trips to the database for any number of artifacts, in parallel with the reads of policies and allow-list. If
 * policies name controls and an artifact was reported several times in one flow, or if they ask for SBOMs, it costs a third.
 * @param policies decisions stand in this order
 * @param at the instant as of which attestations have an age (rules/policies.md#max-age)
 * @param allowed fingerprints on the environment's allow-list
 * @returns the artifacts in the given order, each with its evaluation
 */
export async function evaluateArtifacts<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  policies: MaybePending<readonly PolicyVersion[]>,
  allowed: MaybePending<ReadonlySet<string>>,
  at: Micros,
  limits?: EvaluationLimits,
): Promise<(A & Evaluation)[]> {
  const [presences, attached, listed] = await Promise.all([
    readPresences(reading, org, fingerprintsOf(running)),
    policies,
    allowed,
  ]);
  return evaluateWithEvidence(reading, org, running, { presences, policies: attached, allowed: listed, at }, limits);
}

/** The distinct fingerprints of what runs, without the empty one, which stands for an unknown digest. */
export const fingerprintsOf = (running: readonly RunningArtifact[]): Set<Fingerprint> =>
  new Set(running.map(({ fingerprint }) => fingerprint).filter(isKnownFingerprint));

/**
 * The second round trip of {@link evaluateArtifacts}: reads the evidence in the flows that have the artifacts, then
 * evaluates.
 * @param known what the first round trip read; `presences` says per fingerprint which flows have it
 * @param limits called before the reads of each round trip begin, and before the evaluation
 */
export async function evaluateWithEvidence<A extends RunningArtifact>(
  reading: Reading,
  org: Owner,
  running: readonly A[],
  known: {
    presences: ReadonlyMap<Fingerprint, readonly FlowPresence[]>;
    policies: readonly PolicyVersion[];
    allowed: ReadonlySet<string>;
    at: Micros;
  },
  limits: EvaluationLimits = UNLIMITED,
): Promise<(A & Evaluation)[]> {
  const { presences, policies, allowed, at } = known;
  const questions = policies.flatMap(({ content }) => controlQuestions(content));
  limits.reads(evidenceReads(presences.values(), new Set(questions.map(({ control }) => control)).size));
  const work = policyWork(policies.map(({ content }) => content));
  const knownFlows = (artifact: A) =>
    isKnownFingerprint(artifact.fingerprint) ? (presences.get(artifact.fingerprint) ?? []) : [];
  limits.checks(
    workOf(
      work,
      running.map((artifact) => ({ ...artifact, flows: knownFlows(artifact).map(() => unreadFacts(artifact)) })),
    ),
  );
  const verdictsReading = readVerdictsInFlows(reading, org, presences);
  const [verdicts, decisions, components] = await Promise.all([
    verdictsReading,
    readControlDecisions(reading, org, presences, questions, limits.reads),
    readComponentsFor(reading, org, policies, { presences, trails: verdictsReading }, limits.reads),
  ]);
  const inFlows = ({ fingerprint }: A) => (fingerprint === '' ? [] : (verdicts.get(fingerprint) ?? []));
  limits.checks(
    workOf(
      work,
      running.map((artifact) => {
        const found = decisions.get(artifact.fingerprint)?.length ?? 0;
        return { ...artifact, flows: inFlows(artifact).map((verdict) => readFacts(artifact, verdict, found)) };
      }),
    ),
  );
  const evaluate = artifactEvaluator(policies, at);
  return running.map((artifact) => ({
    ...artifact,
    ...evaluate(artifact, {
      verdicts: inFlows(artifact),
      decisions: decisions.get(artifact.fingerprint) ?? [],
      components: components.get(artifact.fingerprint),
      allowed: allowed.has(artifact.fingerprint),
    }),
  }));
}

interface EvaluationInput {
  /** One per flow, in the order in which flows first had the artifact. */
  verdicts: readonly VerdictInFlow[];
  /** Decisions on controls, oldest first. */
  decisions: readonly ControlDecision[];
  /** What the SBOMs of the artifact say; undefined if no policy asks, and for an artifact that nobody reported. */
  components?: KnownComponents | undefined;
  allowed: boolean;
}

/**
 * Reads what the SBOMs of artifacts say (rules/policies.md#sboms). Costs nothing if no policy asks for it.
 *
 * @returns by fingerprint
 */
export async function readComponentsFor(
  { table }: Pick<Reading, 'table'>,
  org: Owner,
  policies: readonly PolicyVersion[],
  artifacts: Omit<AskedArtifacts, 'packages'>,
  count?: CountReads,
): Promise<ReadonlyMap<string, KnownComponents>> {
  const packages = packagesAsked(policies.map(({ content }) => content));
  return packages === null ? new Map() : readKnownComponents(table, org.id, { ...artifacts, packages }, count);
}

type JudgeableArtifact = Pick<RunningArtifact, 'name' | 'fingerprint'>;

/** Evaluates one artifact. Pure: reads nothing but its arguments (rules/policies.md#evaluation). */
export const evaluateArtifact = (
  artifact: JudgeableArtifact,
  { policies, at, ...input }: EvaluationInput & { policies: readonly PolicyVersion[]; at: Micros },
): Evaluation => artifactEvaluator(policies, at)(artifact, input);

/**
 * Returns a function that evaluates one artifact after another. Artifacts share the results that are equal.
 * @param at the instant as of which attestations have an age
 */
export function artifactEvaluator(
  policies: readonly PolicyVersion[],
  at: Micros,
): (artifact: JudgeableArtifact, input: EvaluationInput) => Evaluation {
  const judges = policies.map((policy) => policyJudge(policy, at));
  return ({ name, fingerprint }, { verdicts, decisions, components, allowed }) => {
    const contexts = verdicts.map(({ flow, presence, status, entries, recalled, attestedAt, entry }) => ({
      flow,
      trail: presence.trail,
      artifactStatus: status,
      entries,
      attestedAt,
      origin: entry.origin,
      recalled,
    }));
    const artifact = { name, fingerprint, contexts, components };
    const judged = judges.map((judge) => judge(artifact, (question) => controlAnswer(decisions, question)));
    const evaluations = judged.map(({ result }) => result);
    const flows = verdicts.map(rowFlow);
    return {
      flows,
      decisions: decisionsDigest({ flows, evaluations }),
      evaluations,
      compliant: artifactVerdict(evaluations, allowed, policies.length > 0),
      allowed,
      freshUntil: allowed ? null : earliestEnd(judged),
    };
  };
}

/** The earliest of the instants after which age alone changes something; null if there is none. */
export function earliestEnd(aging: readonly { freshUntil: Micros | null }[]): Micros | null {
  let earliest: Micros | null = null;
  for (const { freshUntil: end } of aging) if (end !== null) earliest = earliestOf(end, earliest ?? end);
  return earliest;
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
