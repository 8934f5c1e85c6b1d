import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { storedId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { cataloguePartition } from '#shared/series/keys.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { readUnknownTime } from '../records/beats.ts';
import { readOngoing } from '../records/gaps.ts';
import { subjectKey } from '../rules/gaps/gap.ts';
import { firstAfter } from '../rules/gaps/plan.ts';
import { endGap } from './change-gap.ts';
import { readHead, readReporter, reportAt, reporterSubject, unmark } from './reporters.ts';

/** A report of an environment whose report was missing. */
export interface MissedReporter {
  org: OrganizationId;
  environment: EnvironmentId;
}

/** Reads from the stream whether an environment changed whose report is missing; null for other items. */
export function readMissedReporter(streamed: StreamItem): MissedReporter | null {
  if (!streamed.has('openGap')) return null;
  const [org = ''] = streamed.pk.split('#');
  const id = storedId<OrganizationId>(org);
  const isEntry = streamed.pk === cataloguePartition(id, ENVIRONMENTS.name);
  return isEntry ? { org: id, environment: storedId(streamed.sk) } : null;
}

/**
 * Ends the gaps of an environment that a report ended (rules/expectations.md#end). Reads the environment as it is now, so
 * records of the stream may come late, twice or in another order.
 */
export async function endAfterArrival(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { org, environment }: MissedReporter,
): Promise<void> {
  const reporter = await readReporter(table, org, environment);
  // The look ends the gaps of archived environments.
  if (!reporter) return;
  const now = clock.now();
  const [ongoing, head, unknown] = await Promise.all([
    readOngoing(table, org, subjectKey(reporterSubject(reporter))),
    readHead(table, org, environment),
    readUnknownTime(table, now),
  ]);
  let lasts = false;
  for (const { gap, lastAt } of ongoing) {
    const until = firstAfter(lastAt, reporter.arrivals);
    if (until === undefined) lasts = true;
    else {
      const ending = { until, ended: 'arrived' as const, firstAfter: reportAt(until, head) };
      await endGap(table, org, gap, ending, { unknown, now });
    }
  }
  if (!lasts) await unmark(table, org, reporter);
}
