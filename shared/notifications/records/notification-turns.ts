import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { notificationTurnKey } from './keys.ts';

/**
 * Notifications name environments, and an environment that is archived leaves those that name it. An organization counts
 * both, and whoever does one says how often the other was done when he began: none of them goes by what another has just
 * changed. Those that do the same do not wait for each other; where they change the same notification, its own count of
 * changes tells.
 */
const TurnsItem = z.object({ saved: z.number().default(0), archived: z.number().default(0) });
export type Turns = z.output<typeof TurnsItem>;

/** How often each was done, to be read before anything that it guards. */
export const readTurns = async (table: Table, org: OrganizationId): Promise<Turns> =>
  TurnsItem.parse((await table.get(notificationTurnKey(org))) ?? {});

/** Counts a saved notification; `again` where an environment was archived since. */
export const turnToSave = (org: OrganizationId, seen: Turns): Write<'again'> => turn(org, 'saved', 'archived', seen);

/** Counts an archived environment; `again` where a notification was saved since. */
export const turnToArchive = (org: OrganizationId, seen: Turns): Write<'again'> => turn(org, 'archived', 'saved', seen);

const turn = (org: OrganizationId, counted: keyof Turns, other: keyof Turns, seen: Turns): Write<'again'> => ({
  update: notificationTurnKey(org),
  UpdateExpression: 'SET #v = :one ADD #counted :one',
  ConditionExpression: seen[other] === 0 ? 'attribute_not_exists(#other)' : '#other = :seen',
  ExpressionAttributeNames: { '#v': 'v', '#counted': counted, '#other': other },
  ExpressionAttributeValues: { ':one': 1, ...(seen[other] > 0 && { ':seen': seen[other] }) },
  refused: again,
});
