import { type FlowId, firstPreciseIdAt, type Id, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { namedFlows } from '#shared/evidence/records/flows.ts';
import { readTrailHeads } from '#shared/evidence/records/trails.ts';
import { type ListedTrail, listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { firstEntries, monthOf, readMonths } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScopes } from '../read-flow-scope.ts';
import { noCompletionSince, readCompletions } from '../records/arrivals.ts';
import { readGap } from '../records/gaps.ts';
import type { Expectation } from '../rules/expectation.ts';
import { type GapSubject, placeInSubjectKey } from '../rules/gaps/gap.ts';
import { dueOf, type Look } from '../rules/gaps/silence.ts';
import { seriesOf } from '../subjects/trail-subjects.ts';
import { type Beginning, type Beginnings, lateOnes, portionsFrom, type Watched, watchedOnce } from './watched.ts';

/** Trails as the subjects of expectations about completion. */

/** Trails that one call reads. */
const MANY = 1_000;

type BegunTrail = ListedTrail & Beginning;
type TrailSubject = GapSubject & { type: 'trail' };

/** Reads the list of flows and the flows with each tag. Trails are read later, from the list of trails. */
export async function watchTrails(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  { now }: Look,
): Promise<Beginnings<BegunTrail>> {
  const flowsOf = await readFlowScopes(
    table,
    org,
    expectations.map(({ scope }) => scope),
  );
  const flows = new Map(
    expectations.map(({ id, scope }) => [id, new Map(flowsOf(scope).map((flow) => [flow.id, flow]))]),
  );
  const flowOf = ({ id }: Expectation, flow: FlowId): FlowSubject | undefined => flows.get(id)?.get(flow);
  return {
    begunFrom: async function* (expectation, from) {
      const isWanted = ({ flow }: ListedTrail) =>
        'tags' in expectation.scope || flowOf(expectation, flow) !== undefined;
      for await (const trails of trailsFrom(table, org, seriesOf(expectation), { from, now })) {
        yield trails.filter(isWanted).map((trail) => ({ ...trail, begun: timeOfId(trail.entry) }));
      }
    },
    watch: (expectation, due) => watchDue(table, org, expectation, due, flowOf),
    isIn: (expectation, subject) => {
      const flow = placeInSubjectKey<FlowId>('trail', subject);
      return flow !== null && flowOf(expectation, flow) !== undefined;
    },
    again: (gap) => readTrailOfGap(table, org, gap),
    readGone: async (subject, gap) => {
      const flow = placeInSubjectKey<FlowId>('trail', subject);
      if (flow === null) throw new Error(`A gap in completion is about ${subject}`);
      const [watched, heads] = await Promise.all([
        readTrailOfGap(table, org, gap),
        namedFlows.readHeads(table, org, [flow]),
      ]);
      return { arrivals: watched?.arrivals ?? [], archivedAt: heads.get(flow)?.archived ?? null };
    },
  };
}

/** Reads the trails of a list that began from an instant on, the oldest first. */
async function* trailsFrom(
  table: Table,
  org: OrganizationId,
  series: string,
  { from, now }: { from: Micros; now: Micros },
): AsyncGenerator<ListedTrail[]> {
  const first = firstPreciseIdAt(from);
  const months = (await readMonths(table, org, series, now)).filter((month) => month >= monthOf(first));
  yield* portionsFrom(months, first, MANY, async (month, next, limit) =>
    (await firstEntries(table, org, series, [month], next, limit)).map(listedTrail),
  );
}

/** Reads when trails were compliant first, and the heads of those that were not in time. */
async function watchDue(
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
  due: readonly BegunTrail[],
  flowOf: (expectation: Expectation, id: FlowId) => FlowSubject | undefined,
): Promise<Watched[]> {
  const inScope = due.flatMap((trail) => {
    const flow = flowOf(expectation, trail.flow);
    return flow ? [{ ...trail, subject: flow }] : [];
  });
  const completions = await readCompletions(table, org, inScope);
  const late = lateOnes(expectation, inScope, completions);
  const heads = await readTrailHeads(table, org, late);
  return late.flatMap(({ begun, trail: name, subject: flow, met }, i) => {
    const head = heads[i];
    // The relay has not stored yet that this trail became compliant in time.
    const isInTime = met === null && head?.word === 'COMPLIANT' && head.at <= dueOf(expectation, begun);
    if (!head || isInTime) return [];
    return [watchedTrail(table, org, trailSubject(flow, { id: head.id, name }), { begun, met })];
  });
}

const trailSubject = ({ id, name }: FlowSubject, trail: Pick<TrailSubject, 'id' | 'name'>): TrailSubject => ({
  type: 'trail',
  flow: { id, name },
  ...trail,
});

/** Reads the trail of a gap, and when it was compliant first. Null if there is no such gap. */
async function readTrailOfGap(table: Table, org: OrganizationId, id: Id): Promise<Watched | null> {
  const gap = await readGap(table, org, id);
  return gap?.subject.type === 'trail' ? readWatchedTrail(table, org, gap.subject, gap.since) : null;
}

/** Reads when a trail was compliant first. @param begun when it began */
export async function readWatchedTrail(
  table: Table,
  org: OrganizationId,
  subject: TrailSubject,
  begun: Micros,
): Promise<Watched> {
  const [met = null] = await readCompletions(table, org, [placeOf(subject)]);
  return watchedTrail(table, org, subject, { begun, met });
}

const placeOf = ({ flow, name }: TrailSubject) => ({ flow: flow.id, trail: name });

const watchedTrail = (
  table: Table,
  org: OrganizationId,
  subject: TrailSubject,
  { begun, met }: { begun: Micros; met: Micros | null },
): Watched =>
  watchedOnce(
    subject,
    { begun, met },
    {
      guard: () => [noCompletionSince(org, placeOf(subject), met)],
      again: () => readWatchedTrail(table, org, subject, begun),
    },
  );
