import type { EnvironmentId, Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { environmentsOfFlow, environmentsOfPolicy, raiseMark } from '#shared/environments/records/marks.ts';
import { ANY_FLOW, hasEverRun, readRunning } from '#shared/environments/records/running.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import type { ExpanderServices } from '#shared/notifications/services.ts';
import type { EffectsContext, MarkNews } from './effects-context.ts';
import { type ExpansionMessage, expansionMessage } from './expand-message.ts';

/** How many reads or writes of one kind run in parallel. */
const WIDTH = 16;
/** Fingerprints and environments that one call handles. Messages to the expander take the others. */
const AT_ONCE = 100;

type MarksContext = EffectsContext & { services: Pick<ExpanderServices, 'expansions'> };

/**
 * Raises the marks of environments in which a verdict may have changed, so that their next reports evaluate again
 * (rules/environments.md#marks). The causes are evidence about a running artifact, a flow's name or tags, and a new
 * version of a policy. Each environment gets at most one mark per call.
 *
 * A mark raised twice costs one evaluation. A missing mark hides late evidence until the daily evaluation. An artifact
 * can be running before the expander has recorded it. Such environments get their mark when the snapshot is expanded.
 */
export async function raiseMarks(context: MarksContext, news: MarkNews): Promise<void> {
  const { org } = news;
  const { table } = context.services;
  // An organization in which nothing ever ran costs one read.
  if (!(await hasRun(context, org, ANY_FLOW))) return;
  const environments = new Set<EnvironmentId>();
  const addEnvironments = (ids: Iterable<EnvironmentId>) => {
    for (const id of ids) environments.add(id);
  };
  const trails = Map.groupBy(news.moments, ({ flow, name }) => `${flow}#${name}`);
  const fingerprints = new Set<Fingerprint>();
  await inParallel(trails.values(), WIDTH, async (moments) => {
    for (const fingerprint of await affectedFingerprints(context, org, moments)) fingerprints.add(fingerprint);
  });
  const heads = news.flows.filter((head) => context.memory.mayDiffer(org, head));
  const flows = new Set([...news.tagged, ...heads.map(({ flow }) => flow)]);
  await Promise.all([
    inParallel(flows, WIDTH, async (flow) => addEnvironments(await environmentsOfFlow(table, org, flow))),
    inParallel(news.policies, WIDTH, async (policy) => addEnvironments(await environmentsOfPolicy(table, org, policy))),
  ]);
  await markEnvironments(context, org, { fingerprints: [...fingerprints], environments: [...environments] });
  for (const head of heads) context.memory.rememberHead(org, head);
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
    ...portions([...marked]).map((some) => ({ work: 'mark' as const, org, fingerprints: [], environments: some })),
    ...portions(isShort ? [] : fingerprints).map((some) => ({
      work: 'mark' as const,
      org,
      fingerprints: some,
      environments: [],
    })),
  ];
  await expansions.send(messages.map((message) => expansionMessage(message)));
}

const portions = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, i) => all.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

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
