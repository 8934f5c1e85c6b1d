import { type EnvironmentId, type FlowId, type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import { AnyFlowName, type EnvironmentName, type FlowName } from '#shared/base/names.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type FlowHead, findFlow, readHead } from '#shared/evidence/records/flows.ts';
import { findRepoByName } from '#shared/evidence/records/repos.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { presentEnvironment, requirePresent } from '../present-environment.ts';
import { readDeployments, readDeploymentsOf } from '../records/deployments.ts';
import { type EnvironmentEvent, eventNumbers, readEvents, readRepoEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readWithEnvironment } from '../records/environments.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import { type Days, dateOf, deploymentFrequency } from '../rules/deployment-frequency.ts';
import { rangeSize } from '../rules/interval.ts';
import { leadTimeOf, leadTimes } from '../rules/lead-times.ts';
import { historyOfLogical } from '../rules/sentences.ts';
import { withCodeDiffs } from './code-diffs.ts';

/** Most events of the period (rules/environments.md#deployments). */
const MOST_EVENTS = 2_000;

interface DeploymentSelection {
  /** Name of the only repository. */
  repo?: string | undefined;
  /** Name of the only flow that had the artifacts when they started. */
  flow?: FlowName | undefined;
  days: Days;
  page: number;
  perPage: number;
}

/**
 * Lists the starts of artifacts in a physical environment, newest first (rules/environments.md#deployments).
 *
 * @param name present name or alias
 * @returns the present name of the environment, the starts of the page, and how many there are in all; how often something
 *   started and the lead times, over all pages
 * @throws ServiceError `not-found` if the environment or the repository does not exist; `invalid` for a logical environment,
 *   and under `query.start_ts` if the period has more than 2,000 events
 */
export async function listDeployments(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  name: EnvironmentName,
  { repo: repoName, flow, days, page, perPage }: DeploymentSelection,
) {
  const { table } = stores;
  const [head, repo] = await Promise.all([
    presentEnvironment(table, org, name),
    repoName === undefined ? undefined : findRepoByName(table, org.id, repoName),
  ]);
  if (head.kind === 'logical') throw historyOfLogical({ env: head.name });
  if (repo === null) throw unknownRepo({ repo: repoName ?? '' });
  // A day ends before the first instant of the next one.
  const all = await readStarts(stores, org.id, head, { start: days.start, end: minus(days.end, 1) }, repo);
  const starts = all.filter(({ flows }) => flow === undefined || flows.includes(flow));
  const onPage = await withCodeDiffs(stores, org, starts.slice((page - 1) * perPage, page * perPage));
  const taken = starts.flatMap((start) => leadTimeOf(start) ?? []);
  const counts = Map.groupBy(starts, ({ at }) => dateOf(at));
  return {
    environment: head.name,
    onPage: onPage.map((start) => ({ ...start, leadTime: leadTimeOf(start) })),
    total: starts.length,
    frequency: deploymentFrequency((date) => counts.get(date)?.length ?? 0, days),
    leadTimes: leadTimes(taken),
    taken,
  };
}

/** Takes three calls after one another. @param repo only artifacts of the repository with this id */
async function readStarts(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  head: EnvironmentHead,
  { start, end }: { start: Micros; end: Micros },
  repo: Id | undefined,
): Promise<EnvironmentEvent[]> {
  const history = historyOf(table, org, head);
  const [before, last] = await Promise.all([history.indexAt(minus(start, 1)), history.indexAt(end)]);
  const numbers = await eventNumbers(table, org, head, { from: before + 1, to: last });
  if (repo === undefined) refuseIfMore(rangeSize(numbers), start);
  const events =
    repo === undefined
      ? (await readEvents(table, org, head.id, numbers)).reverse()
      : await readRepoEvents(table, org, head.id, repo, { ...numbers, newestFirst: true, limit: MOST_EVENTS + 1 });
  refuseIfMore(events.length, start);
  return events.filter(({ type }) => type === 'started');
}

function refuseIfMore(count: number, start: Micros): void {
  if (count <= MOST_EVENTS) return;
  const text = `The period has more than ${MOST_EVENTS} events. Ask for a shorter period`;
  throw invalidField('query.start_ts', text, start / 1e6);
}

/**
 * Counts the artifacts that started per day (rules/environments.md#deployment-frequency).
 *
 * @param name present name or alias
 * @param asked id or name of a flow; all flows without it
 * @returns the names of the environment and of the flow, and the counts
 * @throws ServiceError `not-found` if the environment or the flow does not exist
 */
export async function countDeployments(
  stores: Pick<Stores, 'table'>,
  org: Organization,
  name: EnvironmentName,
  asked: string | undefined,
  days: Days,
): Promise<{ environment: string; flow: FlowName | null; frequency: ReturnType<typeof deploymentFrequency> }> {
  const [read, flow] = await Promise.all([
    readWithEnvironment(stores.table, org.id, name, (id) => startsOn(stores, org, id, days)),
    asked === undefined ? undefined : flowBy(stores, org, asked),
  ]);
  const head = requirePresent(read?.head ?? null, org, name);
  if (flow === null) throw unknownFlow({ flow: asked ?? '', org: org.name });
  const places = head.kind === 'logical' ? await startsInMembers(stores, org, head, days) : [read?.beside];
  const frequency = deploymentFrequency((date) => {
    const day = date.replaceAll('-', '');
    const counts = places.map((starts) => starts?.get(day));
    return counts.reduce((sum, count) => sum + ((flow ? count?.counts[flow.id] : count?.all) ?? 0), 0);
  }, days);
  return { environment: head.name, flow: flow?.name ?? null, frequency };
}

/** Finds a flow by id, else by name: a name may look like an id. */
async function flowBy({ table }: Pick<Stores, 'table'>, org: Organization, text: string): Promise<FlowHead | null> {
  const byId = isId<FlowId>(text) ? await readHead(table, org.id, text) : null;
  return byId ?? findFlow(table, org.id, AnyFlowName.parse(text));
}

const startsOn = (
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  environment: EnvironmentId,
  { start, last }: Days,
) => readDeployments(table, org.id, environment, { from: start, to: last });

/** Nothing starts in a logical environment itself, so the starts in its present members count. */
const startsInMembers = (
  { table }: Pick<Stores, 'table'>,
  org: Organization,
  { members }: EnvironmentHead,
  { start, last }: Days,
) => readDeploymentsOf(table, org.id, members, { from: start, to: last });
