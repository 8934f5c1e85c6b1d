import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readTrailState } from '#shared/evidence/records/trails.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { Table } from '#shared/table/table.ts';
import { readUnknownTime } from '../records/beats.ts';
import { type Ongoing, readGap, readOngoingArtifacts } from '../records/gaps.ts';
import { decidedIn } from '../rules/arrivals.ts';
import { fingerprintInSubjectKey } from '../rules/gaps/gap.ts';
import { firstAfter } from '../rules/gaps/plan.ts';
import { endGap } from './change-gap.ts';
import { readStartOfGap } from './watch-starts.ts';

/** Gaps that are ended at the same time. */
const WIDTH = 8;

/**
 * Ends the gaps about artifacts that moments ended (rules/expectations.md#end): by a compliant decision about the artifact or one of its
 * trails, or by a report of the artifact in a trail with such a decision. Calls may come late, twice or in another order. Moments of
 * other kinds cost nothing, these cost one Query of the gaps about artifacts that last; more only if there are any.
 */
export async function endAfterDecisions(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: OrganizationId,
  moments: readonly MomentFacts[],
): Promise<void> {
  const { fingerprints, trails } = decidedIn(moments);
  if (fingerprints.size === 0 && trails.length === 0) return;
  const lasting = await readOngoingArtifacts(table, org);
  if (lasting.length === 0) return;
  const found = new Set([...fingerprints, ...(await fingerprintsOf(table, org, trails))]);
  const concerned = lasting.filter(({ subject }) => {
    const fingerprint = fingerprintInSubjectKey(subject);
    return fingerprint !== null && found.has(fingerprint);
  });
  if (concerned.length === 0) return;
  const now = clock.now();
  const unknown = await readUnknownTime(table, now);
  await inParallel(concerned, WIDTH, (one) => endIfDecided(one));

  async function endIfDecided({ gap: id, lastAt }: Ongoing): Promise<void> {
    const gap = await readGap(table, org, id);
    const watched = gap ? await readStartOfGap(table, org, gap) : null;
    const until = watched === null ? undefined : firstAfter(lastAt, watched.arrivals);
    if (until === undefined) return;
    const ending = { until, ended: 'arrived' as const, firstAfter: { at: until, shown: null } };
    await endGap(table, org, id, ending, { unknown, now });
  }
}

/** Reads the fingerprints that trails report. */
async function fingerprintsOf(
  table: Table,
  org: OrganizationId,
  trails: readonly Pick<MomentFacts, 'flow' | 'name'>[],
): Promise<Fingerprint[]> {
  const states = await inParallel(trails, WIDTH, ({ flow, name }) => readTrailState(table, org, flow, name));
  return states.flatMap((read) => [...(read?.state.artifacts.values() ?? [])].map(({ fingerprint }) => fingerprint));
}
