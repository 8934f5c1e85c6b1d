import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { endAfterDecisions } from './gaps/end-after-decisions.ts';
import { endAfterMoments } from './gaps/end-after-moments.ts';
import { recordArrivals } from './record-arrivals.ts';
import { hasOngoing } from './records/gaps.ts';
import { mayEndGaps } from './rules/arrivals.ts';

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
  if (!mayEndGaps(moments) || !(await hasOngoing(stores.table, org))) return;
  await Promise.all([endAfterMoments(stores, org, moments), endAfterDecisions(stores, org, moments)]);
}
