import type { EnvironmentId, Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { environmentsOfFlow, environmentsOfPolicy, raiseMark } from '#shared/environments/records/marks.ts';
import { ANY_FLOW, hasEverRun, readRunning } from '#shared/environments/records/running.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import type { EffectsContext, MarkNews } from './effects-context.ts';

/** How many reads or writes of one kind run in parallel. */
const WIDTH = 16;

/**
 * Raises the marks of environments in which a verdict may have changed, so that their next reports evaluate again
 * (rules/environments.md#marks). Each environment gets at most one mark per call.
 *
 * A mark raised twice costs one evaluation. A missing mark hides late evidence until the daily evaluation. An artifact
 * can be running before the relay has recorded it. Such environments get their mark when the snapshot is expanded.
 */
export async function raiseMarks(context: EffectsContext, news: MarkNews): Promise<void> {
  const { table } = context.services;
  const environments = await affectedEnvironments(context, news);
  await inParallel(environments.keys(), WIDTH, (environment) => raiseMark(table, news.org, environment));
}

/**
 * Finds the environments in which a verdict may have changed. The causes are evidence about a running artifact, a change
 * of a flow's head or tags, and a new version of a policy.
 * @returns by environment, the time of the latest moment that concerns the environment; 0 if only other causes do
 */
export async function affectedEnvironments(
  context: EffectsContext,
  news: Omit<MarkNews, 'record'>,
): Promise<Map<EnvironmentId, Micros>> {
  const { org } = news;
  const { table } = context.services;
  const environments = new Map<EnvironmentId, Micros>();
  // An organization in which nothing ever ran costs one read.
  if (!(await hasRun(context, org, ANY_FLOW))) return environments;
  const addEnvironments = (ids: Iterable<EnvironmentId>, at: Micros) => {
    for (const id of ids) environments.set(id, Math.max(at, environments.get(id) ?? 0));
  };
  const trails = Map.groupBy(news.moments, ({ flow, name }) => `${flow}#${name}`);
  const fingerprints = new Map<Fingerprint, Micros>();
  await inParallel(trails.values(), WIDTH, async (moments) => {
    const latest = Math.max(...moments.map(({ at }) => at));
    for (const fingerprint of await affectedFingerprints(context, org, moments)) {
      fingerprints.set(fingerprint, Math.max(latest, fingerprints.get(fingerprint) ?? 0));
    }
  });
  await Promise.all([
    inParallel(fingerprints, WIDTH, async ([fingerprint, at]) => {
      const running = await readRunning(table, org, fingerprint);
      addEnvironments(
        running.flatMap((one) => (one.running ? [one.environment] : [])),
        at,
      );
    }),
    inParallel(news.flows, WIDTH, async (flow) => addEnvironments(await environmentsOfFlow(table, org, flow), 0)),
    inParallel(news.policies, WIDTH, async (policy) =>
      addEnvironments(await environmentsOfPolicy(table, org, policy), 0),
    ),
  ]);
  return environments;
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
async function affectedFingerprints(
  context: EffectsContext,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<Set<Fingerprint>> {
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
