import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { EPOCH, type Micros, StoredMicros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { sweepPositionKey } from './keys.ts';
import type { ReadOrganizations } from './walk-organizations.ts';

/** Organizations between two writes of the position. */
const PAGE = 16;
/** Organizations at the same time. */
const WIDTH = 4;

const Round = z.object({
  /** When the round began. */
  startedAt: StoredMicros,
  /** Id of the last organization whose visit began; empty at the beginning. */
  after: z.string(),
  /** Whether an organization needs another visit. */
  hasMore: z.boolean(),
  isDone: z.boolean(),
});
type Round = z.infer<typeof Round>;

interface RoundOptions {
  /** Name of the sweep, under which its position is stored. */
  name: string;
  readOrganizations: ReadOrganizations;
  now: Micros;
  /** Whether a new round is due, after one that began at this time. */
  isDue: (startedAt: Micros) => boolean;
  /** Whether there is time for another visit. */
  isTime: () => boolean;
}

/**
 * Visits all organizations in the order of their ids, and visits those again that have more to do, until the round is done.
 * The position is stored before each group of visits. So an interrupted call is continued by the next one, and an
 * organization that ends the process does not keep the others waiting (rules/log.md#rounds).
 *
 * @param visit visits one organization; `more` asks for another visit
 * @returns the round; null if none is due
 */
export async function continueRound(
  table: Table,
  { name, readOrganizations, now, isDue, isTime }: RoundOptions,
  visit: (org: OrganizationId, startedAt: Micros) => Promise<'more' | 'done'>,
): Promise<Round | null> {
  const key = sweepPositionKey(name);
  const item = await table.get(key);
  let round: Round = item ? Round.parse(item) : { startedAt: EPOCH, after: '', hasMore: false, isDone: true };
  if (round.isDone) {
    if (!isDue(round.startedAt)) return null;
    round = { startedAt: now, after: '', hasMore: false, isDone: false };
  }
  const save = (next: Round) => table.put({ ...key, v: 1, ...next });
  while (!round.isDone && isTime()) {
    // The first id is the last organization before.
    const { after, startedAt } = round;
    const found = await readOrganizations(table, after, PAGE + 1);
    const group = found.filter((org) => org > after).slice(0, PAGE);
    await save({ ...round, after: group.at(-1) ?? after, hasMore: true });
    const outcomes = await inParallel(group, WIDTH, (org) => visit(org, startedAt));
    const hasMore = round.hasMore || outcomes.includes('more');
    const isEnd = found.length <= PAGE;
    round = {
      startedAt,
      after: isEnd ? '' : (group.at(-1) ?? ''),
      hasMore: hasMore && !isEnd,
      isDone: isEnd && !hasMore,
    };
  }
  await save(round);
  return round;
}
