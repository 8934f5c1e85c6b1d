import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { KnownComponents } from '#shared/components/rules/known-components.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import type { StoredDecision } from '#shared/controls/records/decisions.ts';
import {
  type Reading,
  readPresences,
  readVerdictsInFlows,
  type VerdictInFlow,
} from '#shared/evidence/flow-verdicts.ts';
import { readOverrides } from '#shared/evidence/overrides.ts';
import { artifactNotInOrg } from '#shared/evidence/rules/sentences.ts';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import { reasonsWithGaps, type TrailPlace } from '#shared/policies/rules/reasons.ts';
import type { PolicyResult } from '#shared/policies/rules/results.ts';
import { assertedVerdict } from '#shared/policies/rules/verdicts.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type AttachedPolicy, readAttachedPolicies } from '../attached-policies.ts';
import { evaluateArtifact, readComponentsFor } from '../evaluate.ts';
import { limitAssert } from '../limits/check-limit.ts';
import { readAllowing } from '../records/allowed.ts';
import { EnvironmentEntry, type EnvironmentHead } from '../records/environment-records.ts';
import { readListedHeads } from '../records/environments.ts';
import { decisionsOf } from '../rules/content.ts';
import {
  earlierEnd,
  heardUntil,
  type LastReport,
  shortestSilence,
  silenceReason,
} from '../rules/reports/present-state.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { lastReportsOf } from '../settings/read-present-state.ts';
import { readFilename, resolveFingerprint } from './judged-artifact.ts';

export interface AssertedEnvironment {
  /** Name of the environment. */
  environment: string;
  kind: string;
  /** Null if neither policies nor flows can decide, and if a reporter is silent. */
  compliant: boolean | null;
  /** Why the verdict is unknown: a reporter is silent. Null if it is known, or if nothing decides. */
  unknown: string | null;
  /** The last instant at which neither silence nor age alone changes the verdict; null = they never do. */
  freshUntil: Micros | null;
  decidedBy: 'allow_list' | 'policies' | 'flows' | null;
  evaluations: PolicyResult[];
  /** Why the artifact is not compliant; empty otherwise. */
  reasons: string[];
}

interface UnreadableEnvironment extends Unreadable<EnvironmentId> {
  environment: string;
  kind: string;
}

/**
 * Says whether an artifact is compliant in each environment, by name of the environment
 * (rules/lookups.md#assert-in-all-environments). An artifact that nobody reported is judged as well.
 *
 * @param text a fingerprint, or the begin of one
 * @throws ServiceError `not-found` if no artifact begins with the text, `invalid` if several do, and for too many checks
 */
export async function assertInEnvironments(
  reading: Reading & Pick<Stores, 'clock'>,
  org: Organization,
  text: string,
  { page, perPage }: { page: number; perPage: number },
) {
  const { table } = reading;
  const [fingerprint, listed] = await Promise.all([
    resolveFingerprint(reading, org, text),
    readCatalogue(table, org.id, ENVIRONMENTS),
  ]);
  if (fingerprint === null) throw artifactNotInOrg({ fingerprint: text, org: org.name });

  const inOrder = [...listed.values()].toSorted((one, other) =>
    String(one.entry['n']) < String(other.entry['n']) ? -1 : 1,
  );
  const wanted = inOrder.slice((page - 1) * perPage, page * perPage);
  const [environments, presences] = await Promise.all([
    readListedHeads(
      table,
      org.id,
      wanted.map(({ id }) => id),
    ),
    readPresences(reading, org, [fingerprint]),
  ]);
  const readable = environments.flatMap((one) => ('unreadable' in one ? [] : [one]));
  const policiesReading = readPolicies(reading, org, readable);
  const verdictsReading = readVerdictsInFlows(reading, org, presences);
  const [policies, allowing, name, verdicts, decisions, components, overrides] = await allInOrder([
    policiesReading,
    readAllowing(table, org.id, idsOf(readable.filter(({ allowed }) => allowed > 0)), fingerprint),
    readFilename(reading, org, presences),
    verdictsReading,
    policiesReading.then((found) => {
      const questions = [...found.values()].flatMap(({ content }) => controlQuestions(content));
      return readControlDecisions(reading, org, presences, questions);
    }),
    policiesReading.then((found) =>
      readComponentsFor(reading, org, [...found.values()], { presences, trails: verdictsReading }),
    ),
    verdictsReading.then((found) => {
      const inFlows = (found.get(fingerprint) ?? []).map(({ presence, flow, entries }) => ({
        flow: { id: presence.flow, name: flow.name },
        entries,
      }));
      return readOverrides(reading, org, inFlows);
    }),
  ]);
  const evidence = {
    artifact: { name, fingerprint },
    verdicts: verdicts.get(fingerprint) ?? [],
    decisions: decisions.get(fingerprint) ?? [],
    components: components.get(fingerprint),
    at: reading.clock.now(),
  };
  const attachedTo = ({ policies: ids }: EnvironmentHead) => ids.flatMap((id) => policies.get(id) ?? []);
  limitAssert('per_page', name, readable.flatMap(attachedTo), evidence);
  return {
    fingerprint,
    /** Number of environments, on all pages. */
    total: inOrder.length,
    environments: environments.flatMap((environment): (AssertedEnvironment | UnreadableEnvironment)[] => {
      if ('unreadable' in environment) {
        const entry = listed.get(environment.id)?.entry;
        return entry ? [{ ...environment, environment: String(entry['n']), kind: String(entry['k']) }] : [];
      }
      // An environment that was archived between the two reads is left out.
      if (environment.archived !== null) return [];
      const members = environment.members.flatMap((id) => EnvironmentEntry.safeParse(listed.get(id)?.entry).data ?? []);
      const own = EnvironmentEntry.safeParse(listed.get(environment.id)?.entry).data;
      const reports = environment.kind === 'logical' ? lastReportsOf(members) : [{ member: null, at: own?.r ?? EPOCH }];
      const found = { policies: attachedTo(environment), allowed: allowing.has(environment.id), reports };
      return [verdictIn(environment, found, evidence)];
    }),
    flows: evidence.verdicts,
    /** Decisions on controls that policies of the page ask about, oldest first. */
    decisions: evidence.decisions,
    /** The overrides that the verdicts of the flows rest on. */
    overrides,
  };
}

const idsOf = (environments: readonly EnvironmentHead[]): EnvironmentId[] => environments.map(({ id }) => id);

/** Reads each policy that an environment of the page has once. */
async function readPolicies(reading: Reading, org: Organization, environments: readonly EnvironmentHead[]) {
  const ids = [...new Set(environments.flatMap(({ policies }) => policies))];
  return new Map((await readAttachedPolicies(reading, org, ids)).map((policy) => [policy.id, policy]));
}

interface Evidence {
  artifact: { name: string; fingerprint: Fingerprint };
  verdicts: readonly VerdictInFlow[];
  decisions: readonly StoredDecision[];
  components: KnownComponents | undefined;
  /** The instant of the evaluation. */
  at: Micros;
}

/** The verdict in one environment, by the rules of a single assert (rules/lookups.md#assert-in-an-environment). */
function verdictIn(
  { name, kind }: EnvironmentHead,
  {
    policies,
    allowed,
    reports,
  }: { policies: readonly AttachedPolicy[]; allowed: boolean; reports: readonly LastReport[] },
  { artifact, at, ...evidence }: Evidence,
): AssertedEnvironment {
  const evaluated = evaluateArtifact(artifact, { ...evidence, policies, allowed, at });
  const { verdicts } = evidence;
  const { compliant: decided, evaluations } = evaluated;
  const limit = allowed ? null : shortestSilence(policies.map(({ content }) => content.maxSilence));
  const unknown = silenceReason(limit, reports, at);
  const compliant = unknown === null ? assertedVerdict(decided, verdicts) : null;
  const gaps = ({ flow, trail }: TrailPlace): readonly string[] =>
    verdicts.find((verdict) => verdict.flow.name === flow && verdict.presence.trail === trail)?.reasons ?? [];
  const failed = () =>
    decided === null ? verdicts.flatMap(reasonsInFlow) : reasonsWithGaps(decisionsOf(evaluated), gaps);
  const byFlows = compliant === null ? null : 'flows';
  const freshUntil = compliant ? earlierEnd(evaluated.freshUntil, heardUntil(limit, reports)) : null;
  return {
    environment: name,
    kind,
    compliant,
    unknown,
    freshUntil,
    decidedBy: allowed ? 'allow_list' : decided === null ? byFlows : 'policies',
    evaluations,
    reasons: unknown === null ? (compliant === false ? failed() : []) : [unknown],
  };
}

const reasonsInFlow = ({ flow, presence, reasons }: VerdictInFlow): string[] =>
  reasons.map((reason) => `${reason} (flow '${flow.name}', trail '${presence.trail}')`);
