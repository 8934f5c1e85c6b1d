import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { endAfterDecisions } from './gaps/end-after-decisions.ts';
import { endAfterMoments } from './gaps/end-after-moments.ts';
import { recordArrivals } from './record-arrivals.ts';
import { hasOngoing } from './records/gaps.ts';
import { arrivingSubjects, decidedIn } from './rules/arrivals.ts';

/**
 * Stores what moments bring that expectations wait for, and ends the gaps that this ends. Gaps end with what is stored, so the arrivals
 * are stored first. Repeated calls change nothing. As long as no gap of the organization lasts, this costs one read beside the arrivals.
 */
export async function applyArrivals(
  stores: Pick<Stores, 'table' | 'objects' | 'clock'>,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  await recordArrivals(stores, org, moments);
  const subjects = arrivingSubjects(moments);
  const decided = decidedIn(moments);
  const mayEndGaps = subjects.length > 0 || decided.fingerprints.size > 0 || decided.trails.length > 0;
  if (!mayEndGaps || !(await hasOngoing(stores.table, org))) return;
  await Promise.all([endAfterMoments(stores, org, subjects), endAfterDecisions(stores, org, decided)]);
}
