import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { Table } from '#shared/table/table.ts';
import { readUnknownTime } from '../records/beats.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import { type Ongoing, readGap, readOngoing } from '../records/gaps.ts';
import { arrivingFlows, completionsIn } from '../rules/arrivals.ts';
import { type Gap, trailSubjectKey } from '../rules/gaps/gap.ts';
import { firstAfter } from '../rules/gaps/plan.ts';
import { endGap } from './change-gap.ts';
import { readWatchedFlow } from './watch-flows.ts';
import { readWatchedTrail } from './watch-trails.ts';
import type { Watched } from './watched.ts';

/** Gaps that are ended at the same time. */
const WIDTH = 8;

/**
 * Ends the gaps about flows, whole scopes and trails that moments ended (rules/expectations.md#end). The arrivals of the moments are
 * stored before. What counts is what is stored, so calls may come late, twice or in another order. Costs one Query for each flow
 * with an arrival, one for the scopes, and one for each trail that is compliant; more only while one of their gaps lasts.
 */
export async function endAfterMoments(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  const flows = arrivingFlows(moments).map((id) => `flow:${id}`);
  const trails = completionsIn(moments).map(({ flow, id }) => trailSubjectKey(flow, id));
  const subjects = [...(flows.length > 0 ? ['scope', ...flows] : []), ...trails];
  const lasting = (await inParallel(subjects, WIDTH, (subject) => readOngoing(table, org, subject))).flat();
  if (lasting.length === 0) return;
  const now = clock.now();
  const unknown = await readUnknownTime(table, now);
  await inParallel(lasting, WIDTH, (one) => endIfArrived(one));

  async function endIfArrived({ gap: id, lastAt }: Ongoing): Promise<void> {
    const gap = await readGap(table, org, id);
    const watched = gap ? await readSubject(table, org, gap) : null;
    const until = watched === null ? undefined : firstAfter(lastAt, watched.arrivals);
    if (watched === null || until === undefined) return;
    const arrivalAt = await watched.readArrivals();
    await endGap(table, org, id, { until, ended: 'arrived', firstAfter: arrivalAt(until) }, { unknown, now });
  }
}

/** Reads the subject of a gap as it is now. Null if its expectation or its flow is gone: the look ends the gap. */
async function readSubject(
  table: Table,
  org: OrganizationId,
  { subject, since, expectation: { name, version } }: Gap,
): Promise<Watched | null> {
  if (subject.type === 'trail') return readWatchedTrail(table, org, subject, since);
  const expectation = await readExpectationVersion(table, org, name, version);
  return expectation ? readWatchedFlow(table, org, expectation, subject.type === 'flow' ? subject.id : null) : null;
}
