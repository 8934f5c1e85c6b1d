import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findRepoByName } from '#shared/evidence/records/repos.ts';
import { unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { presentEnvironment } from '../present-environment.ts';
import { type EnvironmentEvent, eventNumbers, readEvents, readRepoEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import type { Days } from '../rules/deployment-frequency.ts';
import { rangeSize } from '../rules/interval.ts';
import { historyOfLogical } from '../rules/sentences.ts';

export type { EnvironmentEvent };

/** Most events of the period (rules/environments.md#deployments). */
const MOST_EVENTS = 2_000;

/** Which deployments are listed. */
interface DeploymentSelection {
  /** Name of the only repository. */
  repo?: string | undefined;
  /** Name of the only flow that had the artifacts when they started. */
  flow?: FlowName | undefined;
  days: Days;
}

/**
 * Lists the starts of artifacts in a physical environment, newest first (rules/environments.md#deployments).
 *
 * @param name present name or alias
 * @returns the present name of the environment, and the starts
 * @throws ServiceError `not-found` if the environment or the repository does not exist; `invalid` for a logical environment,
 *   and under `query.start_ts` if the period has more than 2,000 events
 */
export async function listDeployments(
  stores: Pick<Stores, 'table'>,
  org: Organization,
  name: string,
  { repo: repoName, flow, days }: DeploymentSelection,
): Promise<{ environment: string; starts: EnvironmentEvent[] }> {
  const { table } = stores;
  const [head, repo] = await Promise.all([
    presentEnvironment(table, org, name),
    repoName === undefined ? undefined : findRepoByName(table, org.id, repoName),
  ]);
  if (head.kind === 'logical') throw historyOfLogical({ env: head.name });
  if (repo === null) throw unknownRepo({ repo: repoName ?? '' });
  // A day ends before the first instant of the next one.
  const starts = await readStarts(stores, org.id, head, { start: days.start, end: days.end - 1 }, repo);
  return { environment: head.name, starts: starts.filter(({ flows }) => flow === undefined || flows.includes(flow)) };
}

/**
 * Reads the starts of artifacts in a physical environment, newest first (rules/environments.md#deployments). Takes three calls
 * after one another.
 *
 * @param repo only artifacts of the repository with this id
 * @throws ServiceError `invalid` under `query.start_ts` if the period has more than 2,000 events
 */
async function readStarts(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
  head: EnvironmentHead,
  { start, end }: { start: Micros; end: Micros },
  repo: Id | undefined,
): Promise<EnvironmentEvent[]> {
  const history = historyOf(table, org, head);
  const [before, last] = await Promise.all([history.indexAt(start - 1), history.indexAt(end)]);
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
