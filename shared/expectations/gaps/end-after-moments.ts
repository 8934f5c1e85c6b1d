import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Table } from '#shared/table/table.ts';
import { readExpectationVersion } from '../records/expectations.ts';
import { readOngoing } from '../records/gaps.ts';
import type { Gap } from '../rules/gaps/gap.ts';
import { endArrived } from './end-arrived.ts';
import { readWatchedFlow } from './watch-flows.ts';
import { readWatchedTrail } from './watch-trails.ts';
import type { Watched } from './watched.ts';

/** Subjects whose gaps are read at the same time. */
const WIDTH = 8;

/**
 * Ends the gaps about flows, whole scopes and trails that moments ended (rules/expectations.md#end). The arrivals of the moments are
 * stored before. Calls may come late, twice or in another order. Costs one Query for each subject; more only while one of their gaps
 * lasts.
 *
 * @param subjects keys of the subjects that moments may have ended gaps of
 */
export async function endAfterMoments(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  subjects: readonly string[],
): Promise<void> {
  const lasting = await inParallel(subjects, WIDTH, (subject) => readOngoing(stores.table, org, subject));
  await endArrived(stores, org, lasting.flat(), readSubject);
}

/** Reads the subject of a gap as it is now. Null if its expectation or its flow is gone. */
async function readSubject(
  table: Table,
  org: OrganizationId,
  { subject, since, expectation: { name, version } }: Gap,
): Promise<Watched | null> {
  if (subject.type === 'trail') return readWatchedTrail(table, org, subject, since);
  const expectation = await readExpectationVersion(table, org, name, version);
  return expectation ? readWatchedFlow(table, org, expectation, subject.type === 'flow' ? subject.id : null) : null;
}
