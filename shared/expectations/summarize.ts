import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { countStates, judgeSubjects, nextDue, type StateCounts } from './judge-subjects.ts';
import { readFlowScopes } from './read-flow-scope.ts';
import { type EnvironmentList, readScopes } from './read-scope.ts';
import { readArrivalsOf } from './records/arrivals.ts';
import { readOngoing } from './records/gaps.ts';
import type { Expectation } from './rules/expectation.ts';
import { judgeFlows } from './subjects/flow-subjects.ts';

/**
 * How the subjects of an expectation are: how many are in each state, and the earliest instant after which one that is not missed
 * would be (null if there is none). Trails and artifacts are not counted: of them the gaps that are open.
 */
export type SubjectSummary = { counts: StateCounts; nextDue: Micros | null } | { openGaps: number };

/** Some expectations of a page, and what says how their subjects are. An archived one has none. */
type Summarize = (
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  now: Micros,
) => Promise<SubjectSummary[]>;

/**
 * Says how the subjects of each expectation of a page are. The kinds are read at the same time, and only those that the page has.
 *
 * @param environments the list of environments, which the caller has read already
 * @returns by the name of the expectation
 */
export async function summarize(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
  environments: EnvironmentList,
  now: Micros,
): Promise<ReadonlyMap<string, SubjectSummary>> {
  const groups: [readonly Expectation['kind'][], Summarize][] = [
    [['reports'], summarizeEnvironments(environments)],
    [['evidence', 'activity'], summarizeFlows],
    [COUNTED_BY_GAPS, summarizeGaps],
  ];
  const found = await Promise.all(
    groups.map(async ([kinds, summarizeThem]) => {
      const ours = expectations.filter(({ kind }) => kinds.includes(kind));
      const summaries = ours.length === 0 ? [] : await summarizeThem(table, org, ours, now);
      return ours.flatMap(({ name }, i): [string, SubjectSummary][] => {
        const summary = summaries[i];
        return summary ? [[name, summary]] : [];
      });
    }),
  );
  return new Map(found.flat());
}

/** Reads the details of environments if a scope has tags. */
const summarizeEnvironments =
  (environments: EnvironmentList): Summarize =>
  async (table, org, expectations, now) => {
    const active = expectations.filter(({ archived }) => !archived);
    const scopes = await readScopes(
      table,
      org,
      active.map(({ scope }) => scope),
      environments,
    );
    return expectations.map((one) => {
      const judged = judgeSubjects(one, scopes[active.indexOf(one)] ?? [], now);
      return { counts: countStates(judged), nextDue: nextDue(judged) };
    });
  };

/** Reads the list of flows, the flows with each tag, and each sort of arrivals once. */
const summarizeFlows: Summarize = async (table, org, expectations, now) => {
  const active = expectations.filter(({ archived }) => !archived);
  const [flowsOf, latestOf] = await Promise.all([
    readFlowScopes(
      table,
      org,
      active.map(({ scope }) => scope),
    ),
    readArrivalsOf(table, org, active),
  ]);
  return expectations.map((one) => {
    const judged = one.archived ? [] : judgeFlows(one, flowsOf(one.scope), latestOf(one), now);
    return { counts: countStates(judged), nextDue: nextDue(judged) };
  });
};

/** The kinds whose subjects are trails and artifacts: there are too many to count, so the gaps that last are. */
const COUNTED_BY_GAPS: readonly Expectation['kind'][] = ['completion', 'decision'];

/** Counts the open gaps of an expectation; undefined for kinds whose subjects are counted. Costs a Query of the gaps that last. */
export async function countOpenGaps(
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
): Promise<number | undefined> {
  if (!COUNTED_BY_GAPS.includes(expectation.kind)) return undefined;
  const [summary] = await summarizeGaps(table, org, [expectation]);
  return summary?.openGaps;
}

/** Reads the gaps that last. */
async function summarizeGaps(table: Table, org: OrganizationId, expectations: readonly Expectation[]) {
  const open = (await readOngoing(table, org)).filter(({ isKnown, isExcused }) => isKnown && !isExcused);
  const byId = Map.groupBy(open, ({ expectation }) => expectation);
  return expectations.map(({ id, archived }) => ({ openGaps: archived ? 0 : (byId.get(id)?.length ?? 0) }));
}
