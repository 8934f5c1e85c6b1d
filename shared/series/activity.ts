import * as z from 'zod';
import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { activityKey } from './keys.ts';

/**
 * The last event of a record and the state word after it (rules/lists.md#activity). Repositories have no state word.
 */
export interface Activity {
  at: Micros;
  state: string;
}

/** Derived facts about a record of a catalogue. Each can be known without the other. */
export interface Derived {
  activity: Activity | null;
  /** When an artifact of the flow last started to run in an environment. */
  deployed: Micros | null;
}

export const DerivedItem = z.object({
  at: z.number().optional(),
  state: z.string().optional(),
  deployed: z.number().optional(),
});

/** Reads the item with derived facts. Without an item nothing is known. */
export function readDerived(item: Item | undefined): Derived {
  if (!item) return { activity: null, deployed: null };
  const { at, state, deployed = null } = DerivedItem.parse(item);
  return { activity: at === undefined || state === undefined ? null : { at, state }, deployed };
}

/** A record with activity: a flow, or a repository that reports name. */
export interface Active {
  org: OrganizationId;
  kind: 'flow' | 'repo';
  id: Id;
}

/**
 * Stores the latest activity of a record beside its entry in the catalogue. Older activity changes nothing, so calls
 * may come in any order. Readers ignore the activity of records that left the catalogue.
 * @returns whether the activity was newer than the stored one
 */
export const noteActivity = (table: Table, { org, kind, id }: Active, { at, state }: Activity): Promise<boolean> =>
  table.update(activityKey(org, kind, id), {
    UpdateExpression: 'SET #v = :v, #at = :at, #state = :state',
    ConditionExpression: 'attribute_not_exists(#at) OR #at < :at',
    ExpressionAttributeNames: { '#v': 'v', '#at': 'at', '#state': 'state' },
    ExpressionAttributeValues: { ':v': 1, ':at': at, ':state': state },
  });

/** Stores when an artifact of a flow last started to run in an environment. Older instants change nothing. */
export const noteDeployed = (table: Table, org: OrganizationId, flow: FlowId, at: Micros): Promise<boolean> =>
  table.update(activityKey(org, 'flow', flow), {
    UpdateExpression: 'SET #v = :v, deployed = :at',
    ConditionExpression: 'attribute_not_exists(deployed) OR deployed < :at',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':at': at },
  });
