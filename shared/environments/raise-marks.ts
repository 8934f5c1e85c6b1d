import type { EnvironmentId, Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { environmentsOfFlow, environmentsOfPolicy, raiseMark } from '#shared/environments/records/marks.ts';
import { ANY_FLOW, everRan, readRunning } from '#shared/environments/records/running.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import type { EnvironmentRelay, MarkNews } from './effects-context.ts';

/** Reads and writes of one kind under way at the same time. */
const WIDTH = 16;

/**
 * Has the next reports to environments evaluate again where something came in that may change a verdict of what runs
 * there (design §5, «The unchanged report»): evidence about a running artifact, a flow's name or tags, a version of a
 * policy. Once per batch and environment; one time too many costs an evaluation, and one too few would hide evidence
 * for a day. What runs but is not known to run yet is looked at again once it is, by the mark after an expansion.
 */
export async function raiseMarks(relay: EnvironmentRelay, news: MarkNews): Promise<void> {
  const { org } = news;
  const { table } = relay.services;
  // Organizations without environments pay one read.
  if (!(await hasRun(relay, org, ANY_FLOW))) return;
  const environments = new Set<EnvironmentId>();
  const note = (ids: Iterable<EnvironmentId>) => {
    for (const id of ids) environments.add(id);
  };
  const trails = Map.groupBy(news.moments, ({ flow, name }) => `${flow}#${name}`);
  const fingerprints = new Set<Fingerprint>();
  await inParallel(trails.values(), WIDTH, async (moments) => {
    for (const fingerprint of await concerned(relay, org, moments)) fingerprints.add(fingerprint);
  });
  const heads = news.flows.filter((head) => relay.memory.mayDiffer(org, head));
  const flows = new Set([...news.tagged, ...heads.map(({ flow }) => flow)]);
  await Promise.all([
    inParallel(fingerprints, WIDTH, async (fingerprint) => {
      const running = await readRunning(table, org, fingerprint);
      note(running.flatMap((one) => (one.running ? [one.environment] : [])));
    }),
    inParallel(flows, WIDTH, async (flow) => note(await environmentsOfFlow(table, org, flow))),
    inParallel(news.policies, WIDTH, async (policy) => note(await environmentsOfPolicy(table, org, policy))),
  ]);
  await inParallel(environments, WIDTH, (environment) => raiseMark(table, org, environment));
  for (const head of heads) relay.memory.rememberHead(org, head);
}

/** Whether anything of a flow ever ran: what once did is remembered, and the rest asked for each time. */
async function hasRun(
  { services: { table }, memory }: EnvironmentRelay,
  org: OrganizationId,
  flow: FlowId | typeof ANY_FLOW,
): Promise<boolean> {
  const key = `${org}#${flow}`;
  if (memory.ran.has(key)) return true;
  const ran = await everRan(table, org, flow);
  if (ran) memory.ran.add(key);
  return ran;
}

/**
 * The fingerprints that moments of one trail are about: those that they name, and every artifact of the trail where
 * they are about the trail, bind by name, or brought another template into force.
 */
async function concerned(
  relay: EnvironmentRelay,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<Set<Fingerprint>> {
  const subjects = moments.map(subjectOf);
  const fingerprints = new Set(subjects.flatMap((subject) => ('fingerprint' in subject ? [subject.fingerprint] : [])));
  const [first] = moments;
  // By a flow of which nothing ever ran no artifact runs.
  if (!first || !(await hasRun(relay, org, first.flow))) return fingerprints;
  const trail = await readTrailState(relay.services.table, org, first.flow, first.name);
  if (!trail) return fingerprints;
  const { templateAt, artifacts } = trail.state;
  if (subjects.some(({ kind }) => kind === 'trail') || moments.some(({ at }) => at === templateAt)) {
    for (const { fingerprint } of artifacts.values()) fingerprints.add(fingerprint);
  }
  return fingerprints;
}

/** What a moment is about, whatever it did to the template: of a trail's own fields no verdict is made. */
function subjectOf({
  kind,
  said,
}: MomentFacts): { kind: 'artifact'; fingerprint: Fingerprint } | { kind: 'trail' | 'fields' } {
  if (kind === 'trail_reported' || kind === 'trail_updated') return { kind: 'fields' };
  const change = said.changes.find((one): one is Exclude<SlotChange, { kind: 'repo' }> => one.kind !== 'repo');
  if (change?.kind === 'artifact') return { kind: 'artifact', fingerprint: change.fingerprint };
  if (change?.scope.kind === 'fingerprint') return { kind: 'artifact', fingerprint: change.scope.fingerprint };
  return { kind: 'trail' };
}
