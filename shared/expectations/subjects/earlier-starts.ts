import type { EnvironmentId, Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { readEvents } from '#shared/environments/records/environment-events.ts';
import type { Table } from '#shared/table/table.ts';
import { rangesBefore } from '../rules/restarts.ts';
import { type Start, startOf } from './artifact-subjects.ts';

/** Ranges of events that are read at the same time. */
const WIDTH = 8;
/** Events of an environment among which an earlier start of the same artifact is looked for. */
const EVENTS_BEFORE = 100;

/** A start, and the environment in which it was. */
interface Placed {
  environment: EnvironmentId;
  place: EnvironmentName;
  /** Number of the event among those of the environment. */
  number: number;
  fingerprint: Fingerprint;
}

/**
 * Finds the start of the same artifact in the same environment that came before each start, among the 100 events before it
 * (rules/expectations.md#restarts). Events before several starts are read once.
 *
 * @returns in the order of `starts`; null where there is none
 */
export async function readEarlierStarts(
  table: Table,
  org: OrganizationId,
  starts: readonly Placed[],
): Promise<(Start | null)[]> {
  const environments = new Map(starts.map(({ environment, place }) => [environment, place]));
  const ranges = [...environments].flatMap(([environment, place]) => {
    const own = starts.filter((start) => start.environment === environment);
    const numbers = own.map(({ number }) => number);
    return rangesBefore(numbers, EVENTS_BEFORE).map((range) => ({ environment, place, range }));
  });
  const earlier = new Map<string, Start[]>();
  await inParallel(ranges, WIDTH, async ({ environment, place, range }) => {
    for (const start of (await readEvents(table, org, environment, range)).flatMap((event) => startOf(place, event))) {
      const key = `${environment}#${start.fingerprint}`;
      earlier.set(key, [...(earlier.get(key) ?? []), start]);
    }
  });
  return starts.map(({ environment, fingerprint, number }) => {
    const before = (earlier.get(`${environment}#${fingerprint}`) ?? []).filter(
      (one) => one.number < number && one.number >= number - EVENTS_BEFORE,
    );
    return before.toSorted((one, other) => other.number - one.number)[0] ?? null;
  });
}
