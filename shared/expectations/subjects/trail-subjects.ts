import { isId, timeOfId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { type ListedTrail, listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { entriesAfter } from '#shared/series/scan.ts';
import { seriesPage } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScope } from '../read-flow-scope.ts';
import { readCompletions } from '../records/arrivals.ts';
import type { Expectation } from '../rules/expectation.ts';
import { judgeOnce } from '../rules/judge-once.ts';
import type { JudgedSubject, SubjectPage, SubjectsFound } from './subject.ts';

/** Most trails that one page looks at. */
const MOST_TRAILS = 200;

/**
 * Lists the trails of an expectation of the kind `completion`: those of its flows that began since `starts_at`, the newest first. A page
 * looks at a limited number of trails, so it can be short or empty and still have a next page.
 */
export async function findTrails(table: Table, page: SubjectPage): Promise<SubjectsFound> {
  const { org, expectation, now, after, limit, state } = page;
  const [flows, { entries, isEnd }] = await Promise.all([
    readFlowScope(table, org, expectation.scope),
    entriesAfter((query, window) => seriesPage(table, org, seriesOf(expectation), query, now, window), {
      window: { from: expectation.startsAt, to: now },
      after: after !== undefined && isId(after) ? after : undefined,
      oldestFirst: false,
      most: MOST_TRAILS,
    }),
  ]);
  const names = new Map(flows.map((flow) => [flow.id, flow]));
  const inScope = entries.map(listedTrail).flatMap((trail) => {
    const flow = names.get(trail.flow);
    return flow ? [{ trail, flow }] : [];
  });
  // Without a state each of them is on the page, so no more than the page are read.
  const candidates = state === undefined ? inScope.slice(0, limit) : inScope;
  const completions = await readCompletions(
    table,
    org,
    candidates.map(({ trail }) => trail),
  );
  const judged = candidates.map((one, i) => ({ ...one, judged: judge(expectation, one, completions[i] ?? null, now) }));
  const wanted = judged.filter((one) => state === undefined || one.judged.state === state);
  const shown = wanted.slice(0, limit);
  const isFull = wanted.length > limit || (state === undefined && inScope.length > limit);
  const lookedAt = isFull ? shown.at(-1)?.trail.entry : entries.at(-1)?.id;
  const last = isFull || !isEnd ? (lookedAt ?? null) : null;
  return { subjects: shown.map((one) => one.judged), counts: null, last };
}

/** The list of the only flow of the scope, or of all flows. */
export const seriesOf = ({ scope }: Expectation): string => {
  const [only, ...others] = 'flows' in scope ? scope.flows : [];
  return only && others.length === 0 ? `trails:${only.id}` : 'trails';
};

function judge(
  expectation: Expectation,
  { trail, flow }: { trail: ListedTrail; flow: FlowSubject },
  met: Micros | null,
  now: Micros,
): JudgedSubject {
  const name: FlowName = flow.name;
  const subject = { type: 'trail' as const, flow: name, trail: trail.trail };
  return { subject, met: met ?? EPOCH, ...judgeOnce(expectation, { begun: timeOfId(trail.entry), met }, now) };
}
