import { type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { EPOCH, earliestOf, latestOf, type Micros, StoredMicros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { judgeFlowsAt } from './at/flows-at.ts';
import { type JudgedAt, UNKNOWN } from './at/judged-at.ts';
import { judgeStartsAt, judgeTrailsAt } from './at/once-at.ts';
import { countOpenGaps } from './at/open-gaps-at.ts';
import { countStates, judgeSubjects, nextDue } from './judge-subjects.ts';
import { type EnvironmentList, readEnvironmentList, readScopes } from './read-scope.ts';
import { readExpectationItems, readVersionItems } from './records/expectations.ts';
import { Expectation, MOST_EXPECTATIONS } from './rules/expectation.ts';

/** An expectation as it was at an instant. */
interface ExpectationAt {
  name: string;
  /** Whether no subject was missed; null = none is known to be missed, and not all are known. */
  met: boolean | null;
  /** The earliest instant after which a subject that is not missed is missed; null = there is none. */
  due: Micros | null;
  /** The oldest last arrival of its subjects; null = one of them has none, or is not known, or there are none. Of trails and artifacts
   * the latest instant at which one of them became as it has to be. */
  lastMet: Micros | null;
  /** Gaps that were open; of other kinds than `reports` the number of subjects that were missed. */
  openGaps: number;
}

/** Versions of an expectation among which the one of an instant is looked for. */
const MOST_VERSIONS = 100;

/**
 * Reads the expectations of an organization as they were at an instant (rules/evaluations.md#expectations-in-the-input): the
 * version that was in force, and the last reports until then, of which an environment keeps five. What cannot be known any more is
 * unknown. Archived expectations are left out.
 *
 * @param only the names that the reader names. Of other kinds than `reports` only these are looked up; of more than `most` only these count
 * @returns the expectations by name, or how many there are if there are more than `most`
 */
export async function readExpectationsAt(
  table: Table,
  org: OrganizationId,
  at: Micros,
  { most, only }: { most: number; only: (name: string) => boolean },
): Promise<ExpectationAt[] | { count: number }> {
  const [items, environments] = await Promise.all([
    readExpectationItems(table, org, { limit: MOST_EXPECTATIONS }),
    readEnvironmentList(table, org),
  ]);
  const stored = items.map((item) => Expectation.parse(item)).filter(({ createdAt }) => createdAt <= at);
  const wanted = stored.length > most ? stored.filter(({ name }) => only(name)) : stored;
  if (wanted.length > most) return { count: wanted.length };
  const versions = await Promise.all(wanted.map((one) => versionAt(table, org, one, at)));
  const active = versions.filter(({ archived }) => !archived);
  const [subjects, openGaps] = await Promise.all([
    readScopes(
      table,
      org,
      active.map(({ scope }) => scope),
      environmentsAt(environments, at),
    ),
    active.some(({ kind }) => kind === 'reports') ? countOpenGaps(table, { org, at }) : new Map<string, number>(),
  ]);
  return inParallel([...active.entries()], WIDTH, async ([i, one]) => {
    if (one.kind === 'reports') {
      const judged = judgeSubjects(one, subjects[i] ?? [], at).map(({ state, due, reported }) => {
        return { state, due, met: reported === EPOCH ? null : reported };
      });
      return { ...summaryOf(one, judged), openGaps: openGaps.get(one.id) ?? 0 };
    }
    // The policy may not read it, so it costs nothing.
    if (!only(one.name)) return summaryOf(one, [UNKNOWN]);
    return summaryOf(one, await JUDGES[one.kind](table, one, { org, at }));
  });
}

/** Expectations whose subjects are read at the same time. */
const WIDTH = 4;

/** What judges the subjects of the other kinds as of an instant. */
const JUDGES = {
  evidence: judgeFlowsAt,
  activity: judgeFlowsAt,
  completion: judgeTrailsAt,
  decision: judgeStartsAt,
};

/** Reads the version that was in force. @throws Error if it is not among the newest 100 */
async function versionAt(table: Table, org: OrganizationId, newest: Expectation, at: Micros): Promise<Expectation> {
  if (newest.changedAt <= at) return newest;
  const { name, version } = newest;
  const items = await readVersionItems(table, org, name, {
    from: Math.max(1, version - MOST_VERSIONS),
    to: version - 1,
  });
  const found = items.map((item) => Expectation.parse(item)).find(({ changedAt }) => changedAt <= at);
  if (!found) throw new Error(`Expectation ${name} has changed more than ${MOST_VERSIONS} times since ${at}`);
  return found;
}

/** The environments that existed, each with its last report until then. One whose report is not known any more has none. */
function environmentsAt(environments: EnvironmentList, at: Micros): EnvironmentList {
  const existing = [...environments].filter(([, { id }]) => timeOfId(id) <= at);
  return new Map(
    existing.map(([key, one]) => [key, { ...one, entry: { ...one.entry, r: lastReport(one.entry, at) } }]),
  );
}

/** @returns undefined if it is not known, because the environment has reported more often since than it keeps times */
function lastReport(entry: Readonly<Record<string, unknown>>, at: Micros): Micros | undefined {
  const times = ['r', 'r1', 'r2', 'r3', 'r4'].flatMap((field) => StoredMicros.safeParse(entry[field]).data ?? []);
  const before = times.filter((time) => time > 0 && time <= at);
  if (before.length > 0) return before.reduce((latest, time) => (time > latest ? time : latest));
  // The times end with zeros while there were fewer than five reports. Without a zero there may have been others before.
  return times.includes(EPOCH) ? EPOCH : undefined;
}

function summaryOf({ name, kind }: Expectation, judged: readonly JudgedAt[]): ExpectationAt {
  const { missed, unknown } = countStates(judged);
  const known = judged.flatMap(({ met }) => met ?? []);
  const isOnce = kind === 'completion' || kind === 'decision';
  const oldest = known.length > 0 && known.length === judged.length ? earliestOf(...known) : null;
  const latest = known.length > 0 ? latestOf(...known) : null;
  return {
    name,
    met: missed > 0 ? false : unknown > 0 ? null : true,
    due: nextDue(judged),
    lastMet: isOnce ? latest : oldest,
    openGaps: missed,
  };
}
