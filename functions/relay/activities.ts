import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { MomentFacts } from '#shared/notifications/rules/triggers.ts';
import { type Active, type Activity, noteActivity } from '#shared/series/activity.ts';
import type { Table } from '#shared/table/table.ts';

/** Updates at the same time. */
const WIDTH = 8;

/**
 * Stores the latest activity of the flows and repositories that moments concern: one update per flow and per repository,
 * which changes nothing if a later activity is stored (`rules/lists.md#activity`).
 */
export async function updateActivities(
  table: Table,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  const latest = new Map<string, { active: Active; activity: Activity }>();
  const keep = (active: Active, activity: Activity) => {
    const key = `${active.kind}#${active.id}`;
    const known = latest.get(key);
    if (!known || activity.at > known.activity.at) latest.set(key, { active, activity });
  };
  for (const { flow, at, content } of moments) {
    keep({ org, kind: 'flow', id: flow }, { at, state: content.word });
    if (content.repo !== undefined) keep({ org, kind: 'repo', id: content.repo }, { at, state: '' });
  }
  await inParallel(latest.values(), WIDTH, ({ active, activity }) => noteActivity(table, active, activity));
}
