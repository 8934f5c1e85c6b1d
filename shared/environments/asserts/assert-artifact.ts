import type { Fingerprint } from '#shared/base/ids.ts';
import type { EnvironmentName, FlowName, PolicyName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import type { StoredDecision } from '#shared/controls/records/decisions.ts';
import { type Reading, readVerdictsInFlows, type VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import { type FlowPresence, readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { artifactNotInFlow, artifactNotInOrg, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import type { PolicyDecision } from '#shared/policies/rules/decision-schema.ts';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { assertedVerdict } from '#shared/policies/rules/verdicts.ts';
import { type AttachedPolicy, readAttachedPolicies } from '../attached-policies.ts';
import { evaluateArtifact, readComponentsFor } from '../evaluate.ts';
import { limitAssert } from '../limits/check-limit.ts';
import { refuseLongAnswer } from '../limits/shown-limit.ts';
import { presentEnvironment } from '../present-environment.ts';
import { readAllowed } from '../records/allowed.ts';
import { decisionsOf } from '../rules/content.ts';
import {
  earlierEnd,
  heardUntil,
  type LastReport,
  shortestSilence,
  silenceReason,
} from '../rules/reports/present-state.ts';
import { environmentAndPolicy } from '../rules/sentences.ts';
import { readLastReports } from '../settings/read-present-state.ts';
import { readFilename, resolveFingerprint } from './judged-artifact.ts';

interface AskedVerdict extends AskedScope {
  /** Name of the only flow that counts. */
  flow?: FlowName | undefined;
}

export interface Assertion {
  scope: Scope;
  fingerprint: Fingerprint;
  compliant: boolean;
  /** Why the verdict is unknown, which counts as not compliant: a reporter is silent. Null if it is known. */
  unknown: string | null;
  /** The last instant at which neither silence nor age alone changes the verdict; null = they never do. */
  freshUntil: Micros | null;
  decisions: PolicyDecision[];
  /** The verdicts in the flows that have the artifact, or in the flow that was asked for. */
  flows: VerdictInFlow[];
  /** The verdicts in all flows that have the artifact, which policies looked at. */
  judged: VerdictInFlow[];
  /** Decisions on controls that the policies ask about, oldest first. */
  controls: StoredDecision[];
}

/**
 * Says whether an artifact is compliant in its flows, in an environment, or by policies (rules/lookups.md#asserts).
 *
 * @param text a fingerprint, or the begin of one
 * @throws ServiceError `not-found` if the artifact, the flow, the environment or a policy does not exist; `invalid` for an
 *   environment beside policies, for a prefix of several artifacts, and for too many checks
 */
export async function assertArtifact(
  reading: Reading & Pick<Stores, 'clock'>,
  org: Organization,
  text: string,
  asked: AskedVerdict,
): Promise<Assertion> {
  const { flow: flowName } = asked;
  const kind = scopeKind(asked);
  // Each read starts as soon as its input is known. No kind of scope then adds a round trip.
  const fingerprintReading = resolveFingerprint(reading, org, text);
  const flowReading = flowName === undefined ? undefined : findFlow(reading.table, org.id, flowName);
  const scopeReading = readScope(reading, org, asked, fingerprintReading);
  const presencesReading = readPresences(reading, org, fingerprintReading, kind === 'flow' ? flowReading : undefined);
  const verdictsReading = presencesReading.then((presences) => readVerdictsInFlows(reading, org, presences));
  const [flow, scope, fingerprint, verdicts, decisions, components, name] = await allInOrder([
    flowReading,
    scopeReading,
    fingerprintReading,
    verdictsReading,
    Promise.all([presencesReading, scopeReading]).then(([presences, { policies }]) =>
      readControlDecisions(
        reading,
        org,
        presences,
        policies.flatMap(({ content }) => controlQuestions(content)),
      ),
    ),
    Promise.all([presencesReading, scopeReading]).then(([presences, { policies }]) =>
      readComponentsFor(reading, org, policies, { presences, trails: verdictsReading }),
    ),
    presencesReading.then((presences) => (kind === 'flow' ? '' : readFilename(reading, org, presences))),
  ]);

  if (flow === null) throw unknownFlow({ flow: flowName ?? '', org: org.name });
  const all = fingerprint === null ? [] : (verdicts.get(fingerprint) ?? []);
  const flows = flow ? all.filter(({ presence }) => presence.flow === flow.id) : all;
  // An environment can allow an artifact that was never reported (rules/lookups.md#allowed-artifacts).
  if (fingerprint === null || (flows.length === 0 && !(scope.allowed && flow === undefined))) {
    const names = { fingerprint: text, org: org.name };
    throw flowName === undefined ? artifactNotInOrg(names) : artifactNotInFlow({ ...names, flow: flowName });
  }

  const { policies, allowed } = scope;
  const evidence = { verdicts: all, decisions: decisions.get(fingerprint) ?? [] };
  limitAssert(kind === 'policy' ? 'policy_name' : 'environment_name', name, policies, evidence);
  const at = reading.clock.now();
  const evaluation = evaluateArtifact(
    { name, fingerprint },
    { ...evidence, components: components.get(fingerprint), policies, allowed, at },
  );
  const silence = scope.kind === 'environment' && !allowed ? scope.silence : NEVER_SILENT;
  const unknown = silenceReason(silence.allowed, silence.reports, at);
  // Only an artifact that is allowed has no flows here, and its verdict is never null.
  const compliant = assertedVerdict(evaluation.compliant, flows) === true && unknown === null;
  refuseLongAnswer([evaluation]);
  return {
    scope,
    fingerprint,
    compliant,
    unknown,
    freshUntil: compliant ? earlierEnd(evaluation.freshUntil, heardUntil(silence.allowed, silence.reports)) : null,
    decisions: decisionsOf(evaluation),
    flows,
    judged: all,
    controls: evidence.decisions,
  };
}

/**
 * Reads the flows that have an artifact.
 * @param only the only flow that counts; undefined if every flow counts
 * @returns the presences by fingerprint; empty if there is no such artifact or flow
 */
async function readPresences(
  { table }: Pick<Reading, 'table'>,
  org: Organization,
  fingerprintReading: Promise<Fingerprint | null>,
  only: ReturnType<typeof findFlow> | undefined,
): Promise<Map<Fingerprint, FlowPresence[]>> {
  const [fingerprint, flow] = await Promise.all([fingerprintReading, only]);
  if (fingerprint === null || flow === null) return new Map();
  const presences = await readFlowPresences(table, org.id, fingerprint);
  return new Map([[fingerprint, flow ? presences.filter((presence) => presence.flow === flow.id) : presences]]);
}

/** What decides whether an artifact is compliant: its flows, the policies of an environment, or named policies. */
type Scope =
  | { kind: 'flow'; policies: readonly AttachedPolicy[]; allowed: false }
  /** `allowed`: whether the allow-list of the environment has the artifact. */
  | {
      kind: 'environment';
      environment: string;
      policies: readonly AttachedPolicy[];
      allowed: boolean;
      silence: Silence;
    }
  | { kind: 'policy'; policies: readonly AttachedPolicy[]; allowed: false };

/** The shortest silence that policies of an environment allow, null if none limits it, and the last reports. */
interface Silence {
  allowed: Duration | null;
  reports: readonly LastReport[];
}
const NEVER_SILENT: Silence = { allowed: null, reports: [] };

/** Names of the environment or of the policies that decide; without any, the flows decide. */
interface AskedScope {
  environment?: EnvironmentName | undefined;
  policies?: readonly PolicyName[] | undefined;
}

/**
 * Says which kind of scope a request has (rules/lookups.md#assert-scopes).
 * @throws ServiceError `invalid` if it names both an environment and policies
 */
function scopeKind({ environment, policies = [] }: AskedScope): Scope['kind'] {
  if (environment !== undefined && policies.length > 0) throw environmentAndPolicy();
  if (environment !== undefined) return 'environment';
  return policies.length > 0 ? 'policy' : 'flow';
}

/**
 * Reads the newest versions of the policies that decide. For an environment, also reads whether the environment allows
 * the artifact.
 * @param fingerprint null if no artifact matches the request
 * @throws ServiceError `not-found` for an unknown or archived environment, and for an unknown policy
 */
async function readScope(
  reading: Reading,
  org: Organization,
  { environment: name, policies: names = [] }: AskedScope,
  fingerprint: Promise<Fingerprint | null>,
): Promise<Scope> {
  if (name !== undefined) return environmentScope(reading, org, name, fingerprint);
  if (names.length === 0) return { kind: 'flow', policies: [], allowed: false };
  const heads = await findPolicies(reading.table, org.id, names);
  const ids = names.map((policy) => {
    const head = heads.get(policy);
    if (!head) throw unknownPolicy({ policy, org: org.name });
    return head.id;
  });
  return { kind: 'policy', policies: await readAttachedPolicies(reading, org, ids), allowed: false };
}

async function environmentScope(
  reading: Reading,
  org: Organization,
  name: EnvironmentName,
  fingerprint: Promise<Fingerprint | null>,
): Promise<Scope> {
  const head = await presentEnvironment(reading.table, org, name);
  const policiesReading = readAttachedPolicies(reading, org, head.policies);
  const [policies, silence, allowed] = await Promise.all([
    policiesReading,
    policiesReading.then(async (attached): Promise<Silence> => {
      const shortest = shortestSilence(attached.map(({ content }) => content.maxSilence));
      if (shortest === null) return NEVER_SILENT;
      return { allowed: shortest, reports: await readLastReports(reading.table, org.id, head) };
    }),
    fingerprint.then(async (digest) => {
      if (digest === null) return false;
      return (await readAllowed(reading.table, org.id, head, [digest])).has(digest);
    }),
  ]);
  return { kind: 'environment', environment: head.name, policies, allowed, silence };
}
