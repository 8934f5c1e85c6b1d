import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { type EnvironmentEvent, readEventsBefore } from '#shared/environments/records/environment-events.ts';
import type { Table } from '#shared/table/table.ts';
import type { Subject } from '../read-scope.ts';
import { type Start, startOf } from './artifact-subjects.ts';

/** Events that one Query reads. */
const EVENTS_AT_ONCE = 100;
/** Environments whose events are read at the same time. */
const WIDTH = 8;

/**
 * Reads the artifacts that started in environments in a time. Reads events from now back to its begin, and stops if there are more
 * than `most`.
 *
 * @returns the starts, and the number of events that were read; if it is more than `most`, starts are missing
 */
export async function readStarts(
  table: Table,
  org: OrganizationId,
  environments: readonly Pick<Subject, 'id' | 'name'>[],
  { from, to, most }: { from: Micros; to: Micros; most: number },
): Promise<{ starts: Start[]; count: number }> {
  let count = 0;
  const starts: Start[] = [];
  await inParallel(environments, WIDTH, async ({ id, name }) => {
    let before: number | null = null;
    let isEnd = false;
    while (!isEnd && count <= most) {
      const events: EnvironmentEvent[] = await readEventsBefore(table, org, id, before, EVENTS_AT_ONCE);
      const counted = events.filter(({ at }) => at >= from);
      count += counted.length;
      starts.push(...counted.filter(({ at }) => at <= to).flatMap((event) => startOf(name, event)));
      isEnd = counted.length < EVENTS_AT_ONCE;
      before = counted.at(-1)?.number ?? null;
    }
  });
  return { starts, count };
}
