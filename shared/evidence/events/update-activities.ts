import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Activity, recordActivity } from '#shared/series/activity.ts';
import type { Table } from '#shared/table/table.ts';
import type { MomentFacts } from '../rules/moment-facts.ts';
import { FLOWS, REPOS } from '../rules/series-kinds.ts';

/** Updates at the same time. */
const WIDTH = 8;

/**
 * Stores the latest activity of the flows and repositories that moments concern: one update per flow and per repository,
 * which changes nothing if a later activity is stored (`rules/lists.md#activity`).
 */
export async function updateActivities(table: Table, org: OrganizationId, moments: readonly MomentFacts[]) {
  const flows = new Map<FlowId, Activity>();
  const repos = new Map<Id, Activity>();
  for (const { flow, at, content } of moments) {
    if (at > (flows.get(flow)?.at ?? Number.NEGATIVE_INFINITY)) flows.set(flow, { at, state: content.word });
    const { repo } = content;
    if (repo !== undefined && at > (repos.get(repo)?.at ?? Number.NEGATIVE_INFINITY))
      repos.set(repo, { at, state: '' });
  }
  const updates = [
    ...[...flows].map(
      ([id, activity]) =>
        () =>
          recordActivity(table, org, FLOWS, id, activity),
    ),
    ...[...repos].map(
      ([id, activity]) =>
        () =>
          recordActivity(table, org, REPOS, id, activity),
    ),
  ];
  await inParallel(updates, WIDTH, (update) => update());
}
