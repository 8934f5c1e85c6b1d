import type { RelayServices } from '#functions/relay/services.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { sweepSnapshots } from '#shared/environments/sweeps/sweep-snapshots.ts';
import { sendMissingEntries } from '#shared/log/sweeps/missing-entries.ts';
import { sweepChains } from '#shared/log/sweeps/sweep-chains.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { DONE_AFTER, sweepDueSeries } from '#shared/series/sweep-series.ts';
import { type ActiveOrganization, readActive, removeActive } from '#shared/sweeps/active-organizations.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { visitOrganizations } from '#shared/sweeps/visit-organizations.ts';
import { continueWalk } from '#shared/sweeps/walk-organizations.ts';
import { type RelayContext, type RelayOptions, relayContext, seriesContext } from '../relay.ts';
import { sweepEvents } from './sweep-events.ts';

/**
 * Makes up for the effects that the stream did not bring, in the organizations in which something happened
 * (`rules/storage.md#visits-of-organizations`). Each organization gets a bounded portion per visit, and the visits begin where
 * the last sweep stopped. So an organization that is far behind does not delay the others.
 * @throws AggregateError if a part failed, after all other parts were swept
 */
export async function sweepOrganizations(services: RelayServices, options: RelayOptions = {}): Promise<void> {
  const { log, isTime } = relayContext(services, options, 'sweep');
  const failures: unknown[] = [];
  const walk = new SweepParts(log, isTime);
  await walk.attempt({}, () => continueWalk(services.table, readOrganizationIds, services.clock.now()));
  failures.push(...walk.failures);
  let left = await readActive(services.table);
  while (left.length > 0 && isTime()) {
    const behind: ActiveOrganization[] = [];
    await visitOrganizations(services.table, 'organizations', left, isTime, async (active) => {
      const begun = services.clock.now();
      // Each organization gets its own time for milestones.
      const context = relayContext(services, { ...options, log }, 'sweep');
      const parts = new SweepParts(log, isTime);
      const outcome = await sweepOrganization(context, parts, active.org);
      if (outcome === 'more') behind.push(active);
      if (outcome === 'done' && active.at <= begun - DONE_AFTER) await removeActive(services.table, active);
      failures.push(...parts.failures);
    });
    left = behind.sort((one, other) => (one.org < other.org ? -1 : 1));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of a sweep failed`);
}

/**
 * Visits an organization once.
 * @returns `more` if another visit would find more at once, `waiting` if a later sweep has to come back, `done` otherwise
 */
export async function sweepOrganization(
  context: RelayContext,
  parts: SweepParts,
  org: OrganizationId,
): Promise<'more' | 'waiting' | 'done'> {
  const facts = { organization: org };
  const [hasMore, isExpanded, isChecked] = await Promise.all([
    parts.attempt(facts, () => sweepEvents(context, parts, org)),
    parts.attempt(facts, () => sweepExpansions(context, parts, org)),
    parts.attempt(facts, () => sweepChains(context, org)),
  ]);
  // The sweep of events lists series whose months were missing, and an organization stays listed while one of its series is.
  const isSettled = await parts.attempt(facts, () => sweepDueSeries(seriesContext(context), parts, org));
  if (hasMore) return 'more';
  return isExpanded && isChecked && isSettled && parts.isComplete ? 'done' : 'waiting';
}

/** @returns whether no snapshot waits and no replay is under way */
async function sweepExpansions(context: RelayContext, parts: SweepParts, org: OrganizationId): Promise<boolean> {
  const { isDone, settledLately } = await sweepSnapshots(context, parts, org);
  const subjects = settledLately.map(({ id: environment, index: number }) => ({
    kind: 'environment' as const,
    environment,
    number,
  }));
  await sendMissingEntries(context, org, subjects);
  return isDone;
}
