import * as z from 'zod';
import type { Id } from '../ids.ts';
import { notificationTurnKey } from './keys.ts';
import type { Table, Write } from './table.ts';

/**
 * Notifications name environments, and an environment that is archived leaves those that name it. Whoever does either
 * takes the organization's next turn, so that none of them goes by what another one has just changed.
 */

const TurnItem = z.object({ turn: z.number() });

/** The last turn that was taken, to be read before anything that it guards; 0 = none was. */
export async function readTurn(table: Table, org: Id): Promise<number> {
  const item = await table.get(notificationTurnKey(org));
  return item ? TurnItem.parse(item).turn : 0;
}

/** Takes the turn after the one that was read; `again` where somebody else has. */
export const takeTurn = (org: Id, last: number): Write<'again'> => ({
  put: { ...notificationTurnKey(org), v: 1, turn: last + 1 },
  ConditionExpression: last === 0 ? 'attribute_not_exists(pk)' : 'turn = :last',
  ...(last > 0 && { ExpressionAttributeValues: { ':last': last } }),
  refused: () => 'again' as const,
});
