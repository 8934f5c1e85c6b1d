import type { EnvironmentId, Fingerprint, FlowId, OrganizationId, PolicyId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { type Duration, EPOCH, latestOf, type Micros } from '#shared/base/time.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import { readAttachments } from '#shared/policies/records/policies.ts';
import { readReferencingIds } from '#shared/policies/records/referencing-policies.ts';
import type { EffectsContext, ExpanderServices, MarkNews } from './effects-context.ts';
import { type ExpansionMessage, expansionMessage } from './expand-message.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { readEnvironmentHeads } from './records/environments.ts';
import { environmentsOfFlow, raiseMark } from './records/marks.ts';
import { ANY_FLOW, hasEverRun, readRunning } from './records/running.ts';

/** How many reads or writes of one kind run in parallel. */
const WIDTH = 16;
/** Fingerprints and environments that one call handles. Messages to the expander take the others. */
const AT_ONCE = 100;

type MarksContext = EffectsContext & { services: Pick<ExpanderServices, 'expansions'> };

/**
 * Raises the marks of environments in which a verdict may have changed, so that their next reports evaluate again
 * (rules/environments.md#marks). Each environment gets at most one mark per call.
 *
 * A mark raised twice costs one evaluation. A missing mark hides late evidence until the daily evaluation. An artifact
 * can be running before the expander has recorded it. Such environments get their mark when the snapshot is expanded.
 */
export async function raiseMarks(context: MarksContext, news: MarkNews): Promise<void> {
  const { fingerprints, environments } = await findAffected(context, news);
  await markEnvironments(context, news.org, {
    fingerprints: [...fingerprints.keys()],
    environments: [...environments],
  });
}

/**
 * Finds the environments in which a verdict may have changed, also those in which an artifact runs.
 * @returns by environment, the time of the latest moment that concerns the environment; 0 if only other causes do
 */
async function affectedEnvironments(context: EffectsContext, news: MarkNews) {
  const { fingerprints, environments } = await findAffected(context, news);
  const latest = new Map<EnvironmentId, Micros>([...environments].map((environment) => [environment, EPOCH]));
  await inParallel(fingerprints, WIDTH, async ([fingerprint, at]) => {
    const running = await readRunning(context.services.table, news.org, fingerprint);
    for (const one of running) {
      if (one.running) latest.set(one.environment, latestOf(at, latest.get(one.environment) ?? EPOCH));
    }
  });
  return latest;
}

interface Affected {
  /** Fingerprints with new evidence, with the time of their latest moment. */
  fingerprints: Map<Fingerprint, Micros>;
  /** Environments that a flow's head or tags, or a new version of a policy or of a control, concerns. */
  environments: Set<EnvironmentId>;
}

/** Finds what the causes of marks concern: evidence about artifacts, flows, and versions of policies and of controls. */
async function findAffected(context: EffectsContext, news: MarkNews): Promise<Affected> {
  const { org } = news;
  const { table } = context.services;
  const affected: Affected = { fingerprints: new Map(), environments: new Set() };
  // An organization in which nothing ever ran costs one read.
  if (!(await hasRun(context, org, ANY_FLOW))) return affected;
  const { fingerprints, environments } = affected;
  const addEnvironments = (ids: Iterable<EnvironmentId>) => {
    for (const id of ids) environments.add(id);
  };
  const trails = Map.groupBy(news.moments, ({ flow, name }) => `${flow}#${name}`);
  await inParallel(trails.values(), WIDTH, async (moments) => {
    const latest = latestOf(...moments.map(({ at }) => at));
    for (const fingerprint of await affectedFingerprints(context, org, moments)) {
      fingerprints.set(fingerprint, latestOf(latest, fingerprints.get(fingerprint) ?? EPOCH));
    }
  });
  const attached = async (policy: PolicyId) => addEnvironments(await readAttachments(table, org, policy));
  await Promise.all([
    inParallel(news.flows, WIDTH, async (flow) => addEnvironments(await environmentsOfFlow(table, org, flow))),
    inParallel(news.policies, WIDTH, attached),
    inParallel(news.controls, WIDTH, async (control) => {
      await inParallel(await readReferencingIds(table, org, control), WIDTH, attached);
    }),
  ]);
  return affected;
}

/**
 * Raises the marks of environments, and of those in which fingerprints run. If there are more than 100 of them, their
 * marks are handed to the expander in messages for 100 each, so that a call is bounded in time
 * (rules/environments.md#expander).
 */
export async function markEnvironments(
  { services: { table, expansions } }: MarksContext,
  org: OrganizationId,
  { fingerprints, environments }: { fingerprints: readonly Fingerprint[]; environments: readonly EnvironmentId[] },
): Promise<void> {
  const isShort = fingerprints.length <= AT_ONCE;
  const running = isShort
    ? await inParallel(fingerprints, WIDTH, (fingerprint) => readRunning(table, org, fingerprint))
    : [];
  const marked = new Set(environments);
  for (const one of running.flat()) if (one.running) marked.add(one.environment);
  if (isShort && marked.size <= AT_ONCE) {
    await inParallel(marked, WIDTH, (environment) => raiseMark(table, org, environment));
    return;
  }
  const messages: ExpansionMessage[] = [
    ...batchesOf([...marked], AT_ONCE).map((some) => ({
      work: 'mark' as const,
      org,
      fingerprints: [],
      environments: some,
    })),
    ...batchesOf(isShort ? [] : fingerprints, AT_ONCE).map((some) => ({
      work: 'mark' as const,
      org,
      fingerprints: some,
      environments: [],
    })),
  ];
  await expansions.send(messages.map((message) => expansionMessage(message)));
}

/** Whether anything of a flow ever ran. A yes is remembered, since it never changes; a no is read again each time. */
async function hasRun(
  { services: { table }, memory }: EffectsContext,
  org: OrganizationId,
  flow: FlowId | typeof ANY_FLOW,
): Promise<boolean> {
  const key = `${org}#${flow}`;
  if (memory.ran.has(key)) return true;
  const ran = await hasEverRun(table, org, flow);
  if (ran) memory.ran.add(key);
  return ran;
}

/**
 * The fingerprints whose verdicts may have changed by moments of one trail: those that the moments name, and every
 * artifact of the trail if a moment concerns the trail, binds by name, or changed the template in force.
 */
async function affectedFingerprints(context: EffectsContext, org: OrganizationId, moments: readonly MomentFacts[]) {
  const subjects = moments.map(subjectOf);
  const fingerprints = new Set(subjects.flatMap((subject) => ('fingerprint' in subject ? [subject.fingerprint] : [])));
  const [first] = moments;
  // If nothing of the flow ever ran, no other artifact of the trail runs.
  if (!first || !(await hasRun(context, org, first.flow))) return fingerprints;
  const trail = await readTrailState(context.services.table, org, first.flow, first.name);
  if (!trail) return fingerprints;
  const { templateAt, artifacts } = trail.state;
  if (subjects.some(({ kind }) => kind === 'trail') || moments.some(({ at }) => at === templateAt)) {
    for (const { fingerprint } of artifacts.values()) fingerprints.add(fingerprint);
  }
  return fingerprints;
}

/** What a moment is about, apart from the template. No verdict depends on a trail's own fields. */
function subjectOf({
  kind,
  content,
}: MomentFacts): { kind: 'artifact'; fingerprint: Fingerprint } | { kind: 'trail' | 'fields' } {
  if (kind === 'trail_reported' || kind === 'trail_updated') return { kind: 'fields' };
  const change = content.changes.find((one): one is Exclude<SlotChange, { kind: 'repo' }> => one.kind !== 'repo');
  if (change?.kind === 'artifact') return { kind: 'artifact', fingerprint: change.fingerprint };
  if (change?.scope.kind === 'fingerprint') return { kind: 'artifact', fingerprint: change.scope.fingerprint };
  return { kind: 'trail' };
}

/**
 * An evaluation that ends this long after a change has certainly read the change: a request takes at most 30 seconds from
 * its time to its commit, and an evaluation at most 30 seconds from its reads to its end.
 */
const CERTAINLY_READ: Duration = 60_000_000;

/**
 * Raises the marks that the relay may not have raised, for changes that have settled (rules/environments.md#marks). An
 * environment whose mark waits for a report, or that was evaluated a minute after the change, needs none. The sweep cannot
 * tell whether an earlier evaluation read the change; then the mark is raised a second time.
 * @param changedAt time of the latest change of a flow, a policy or a control
 * @returns how many marks were raised
 */
export async function raiseMissingMarks(context: EffectsContext, news: MarkNews, changedAt: Micros): Promise<number> {
  if (news.moments.length + news.flows.size + news.policies.size + news.controls.size === 0) return 0;
  const { table } = context.services;
  const affected = await affectedEnvironments(context, news);
  const heads = await readEnvironmentHeads(table, news.org, [...affected.keys()]);
  const missing = [...heads.values()].filter((head) =>
    mayMiss(head, latestOf(changedAt, affected.get(head.id) ?? EPOCH)),
  );
  await inParallel(missing, WIDTH, ({ id }) => raiseMark(table, news.org, id));
  return missing.length;
}

const mayMiss = ({ kind, archived, mark, evaluatedMark, evaluatedAt }: EnvironmentHead, at: Micros): boolean =>
  kind !== 'logical' && archived === null && mark === evaluatedMark && evaluatedAt < at + CERTAINLY_READ;
