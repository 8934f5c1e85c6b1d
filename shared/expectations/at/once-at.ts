import { timeOfId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import type { Table } from '#shared/table/table.ts';
import { readEntriesOfFlows } from '../dry-run/read-past-entries.ts';
import { listOfTrails } from '../dry-run/read-past-trails.ts';
import { readDecided } from '../read-decided.ts';
import { readFlowScope } from '../read-flow-scope.ts';
import { readScope } from '../read-scope.ts';
import { readCompletions } from '../records/arrivals.ts';
import type { Expectation } from '../rules/expectation.ts';
import { judgeOnce } from '../rules/judge-once.ts';
import { readStarts } from '../subjects/past-starts.ts';
import { type Instant, type JudgedAt, UNKNOWN } from './judged-at.ts';

/** Trails that are judged, the newest. */
const MOST_TRAILS = 1_000;
const MOST_ENVIRONMENTS = 100;
const MOST_EVENTS = 1_000;
const MOST_STARTS = 300;

/** Judges the trails of an expectation of the kind `completion` as of an instant: the newest 1,000. If there are more, an unknown one stands for them. */
export async function judgeTrailsAt(table: Table, expectation: Expectation, { org, at }: Instant): Promise<JudgedAt[]> {
  const flows = await readFlowScope(table, org, expectation.scope);
  const { total, entries } = await readEntriesOfFlows(
    [listOfTrails(table, { org, now: at })],
    flows.map(({ id }) => id),
    { from: expectation.startsAt, to: at },
    { most: MOST_TRAILS, oldestFirst: false },
  );
  const trails = entries.map(listedTrail);
  const completions = await readCompletions(table, org, trails);
  const judged = trails.map(({ entry }, i) => judge(expectation, timeOfId(entry), completions[i] ?? null, at));
  return total > MOST_TRAILS ? [...judged, UNKNOWN] : judged;
}

/**
 * Judges the artifacts of an expectation of the kind `decision` as of an instant. If there are more environments, events or starts than
 * one evaluation looks at, nothing is known.
 */
export async function judgeStartsAt(table: Table, expectation: Expectation, { org, at }: Instant): Promise<JudgedAt[]> {
  const environments = (await readScope(table, org, expectation.scope)).filter(({ id }) => timeOfId(id) <= at);
  if (environments.length > MOST_ENVIRONMENTS) return [UNKNOWN];
  const period = { from: expectation.startsAt, to: at, most: MOST_EVENTS };
  const { starts, count } = await readStarts(table, org, environments, period);
  if (count > MOST_EVENTS || starts.length > MOST_STARTS) return [UNKNOWN];
  const decided = await readDecided(table, org, expectation, starts);
  return starts.map((start, i) => judge(expectation, start.at, decided[i] ?? null, at));
}

/** What came after the instant had not come at it. */
function judge(expectation: Expectation, begun: Micros, came: Micros | null, at: Micros): JudgedAt {
  const met = came !== null && came <= at ? came : null;
  return { met, ...judgeOnce(expectation, { begun, met }, at) };
}
