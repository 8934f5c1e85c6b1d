import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { readUnknownTime } from '../records/beats.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import { type Ongoing, readGap, readOngoing } from '../records/gaps.ts';
import { arrivingFlows } from '../rules/arrivals.ts';
import { idInSubjectKey } from '../rules/gaps/gap.ts';
import { firstAfter } from '../rules/gaps/plan.ts';
import { endGap } from './change-gap.ts';
import { readWatchedFlow } from './watch-flows.ts';

/** Gaps that are ended at the same time. */
const WIDTH = 8;

/**
 * Ends the gaps about flows and whole scopes that moments ended (rules/expectations.md#end). The arrivals of the moments are
 * stored before. What counts is what is stored, so calls may come late, twice or in another order. Costs one Query for each flow
 * with an arrival, and one for the scopes; more only while one of their gaps lasts.
 */
export async function endAfterMoments(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  const flows = arrivingFlows(moments);
  if (flows.length === 0) return;
  const subjects = ['scope', ...flows.map((id) => `flow:${id}`)];
  const lasting = (await inParallel(subjects, WIDTH, (subject) => readOngoing(table, org, subject))).flat();
  if (lasting.length === 0) return;
  const now = clock.now();
  const unknown = await readUnknownTime(table, now);
  await inParallel(lasting, WIDTH, (one) => endIfArrived(one));

  async function endIfArrived({ gap: id, lastAt, subject }: Ongoing): Promise<void> {
    const gap = await readGap(table, org, id);
    const { name = '', version = 0 } = gap?.expectation ?? {};
    const expectation = await readExpectationVersion(table, org, name, version);
    if (!expectation) return;
    const watched = await readWatchedFlow(table, org, expectation, idInSubjectKey<FlowId>('flow', subject));
    const until = watched === null ? undefined : firstAfter(lastAt, watched.arrivals);
    if (watched === null || until === undefined) return;
    const arrivalAt = await watched.readArrivals();
    await endGap(table, org, id, { until, ended: 'arrived', firstAfter: arrivalAt(until) }, { unknown, now });
  }
}
