import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { Table } from '#shared/table/table.ts';
import { readOngoingArtifacts } from '../records/gaps.ts';
import type { Decided } from '../rules/arrivals.ts';
import { fingerprintInSubjectKey } from '../rules/gaps/gap.ts';
import { endArrived } from './end-arrived.ts';
import { readStartOfGap } from './watch-starts.ts';

/** Trails that are read at the same time. */
const WIDTH = 8;

/**
 * Ends the gaps about artifacts that moments ended (rules/expectations.md#end): by a compliant decision about the artifact or one of its
 * trails, or by a report of the artifact in a trail with such a decision. Calls may come late, twice or in another order. Costs nothing
 * if nothing can be decided, else one Query of the gaps about artifacts that last; more only if there are any.
 */
export async function endAfterDecisions(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  { fingerprints, trails }: Decided,
): Promise<void> {
  if (fingerprints.size === 0 && trails.length === 0) return;
  const { table } = stores;
  const lasting = await readOngoingArtifacts(table, org);
  if (lasting.length === 0) return;
  const found = new Set([...fingerprints, ...(await fingerprintsOf(table, org, trails))]);
  const concerned = lasting.filter(({ subject }) => {
    const fingerprint = fingerprintInSubjectKey(subject);
    return fingerprint !== null && found.has(fingerprint);
  });
  await endArrived(stores, org, concerned, readStartOfGap);
}

/** Reads the fingerprints that trails report. */
async function fingerprintsOf(table: Table, org: OrganizationId, trails: Decided['trails']): Promise<Fingerprint[]> {
  const states = await inParallel(trails, WIDTH, ({ flow, name }) => readTrailState(table, org, flow, name));
  return states.flatMap((read) => [...(read?.state.artifacts.values() ?? [])].map(({ fingerprint }) => fingerprint));
}
