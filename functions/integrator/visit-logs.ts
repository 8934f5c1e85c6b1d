import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { sweepPlaceKey } from '#shared/notifications/records/keys.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import type { Table } from '#shared/table/table.ts';

/** Organizations between two places that are stored. */
const PAGE = 16;
/** Organizations at the same time. */
const WIDTH = 4;

const Round = z.object({
  /** When the round began. */
  startedAt: z.number(),
  /** Id of the last organization whose turn began; empty at the beginning. */
  after: z.string(),
  /** Whether an organization needs another turn. */
  hasMore: z.boolean(),
  isDone: z.boolean(),
});
export type Round = z.infer<typeof Round>;

export interface RoundOptions {
  /** Name of the place that is stored. */
  name: string;
  now: Micros;
  /** Whether a new round is due, after one that began at this time. */
  isDue: (startedAt: Micros) => boolean;
  /** Whether there is time for another turn. */
  isTime: () => boolean;
}

/**
 * Gives all organizations a turn, in the order of their ids, and further turns to those that have more to do, until the round
 * is done. The place is stored before each group of turns. So an interrupted call is continued by the next one, and an
 * organization that ends the process does not keep the others from their turns (rules/log.md#rounds).
 *
 * @param visit gives one turn; `more` asks for another one
 * @returns the round; null if none is due
 */
export async function visitLogs(
  table: Table,
  { name, now, isDue, isTime }: RoundOptions,
  visit: (org: OrganizationId, startedAt: Micros) => Promise<'more' | 'done'>,
): Promise<Round | null> {
  const key = sweepPlaceKey(name);
  const item = await table.get(key);
  let round: Round = item ? Round.parse(item) : { startedAt: 0, after: '', hasMore: false, isDone: true };
  if (round.isDone) {
    if (!isDue(round.startedAt)) return null;
    round = { startedAt: now, after: '', hasMore: false, isDone: false };
  }
  const save = (next: Round) => table.put({ ...key, v: 1, ...next });
  while (!round.isDone && isTime()) {
    // The range includes its first key, which is the last organization before.
    const { after, startedAt } = round;
    const found = await table.query({ pk: organizationList, ...(after !== '' && { from: after }), limit: PAGE + 1 });
    const page = found.map(({ sk }) => sk).filter((sk) => sk > after);
    const group = page.slice(0, PAGE);
    await save({ ...round, after: group.at(-1) ?? after, hasMore: true });
    const outcomes = await inParallel(group, WIDTH, (sk) => visit(storedId<OrganizationId>(sk), startedAt));
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
