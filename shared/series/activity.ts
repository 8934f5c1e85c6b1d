import * as z from 'zod';
import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { activityKey } from './keys.ts';

/** When something last happened, and the word that it left (semantics §11); repositories have no word. */
export interface Activity {
  at: Micros;
  state: string;
}

/** What is derived of a record of a catalogue: either may be known before the other. */
export interface Derived {
  activity: Activity | null;
  /** When something of a flow last started to run in an environment. */
  deployed: Micros | null;
}

export const DerivedItem = z.object({
  at: z.number().optional(),
  state: z.string().optional(),
  deployed: z.number().optional(),
});

/** Reads the item beside a catalogue's entry; nothing is known where there is none. */
export function readDerived(item: Item | undefined): Derived {
  if (!item) return { activity: null, deployed: null };
  const { at, state, deployed = null } = DerivedItem.parse(item);
  return { activity: at === undefined || state === undefined ? null : { at, state }, deployed };
}

/** What has activity: a flow, or a repository that reports name. */
export interface Active {
  org: OrganizationId;
  kind: 'flow' | 'repo';
  id: Id;
}

/**
 * Keeps the latest activity of a record of a catalogue, beside its entry: news that is older than what is kept changes
 * nothing, in whatever order it comes. Readers ignore the activity of what has left the catalogue.
 * @returns whether it was news
 */
export const noteActivity = (table: Table, { org, kind, id }: Active, { at, state }: Activity): Promise<boolean> =>
  table.update(activityKey(org, kind, id), {
    UpdateExpression: 'SET #v = :v, #at = :at, #state = :state',
    ConditionExpression: 'attribute_not_exists(#at) OR #at < :at',
    ExpressionAttributeNames: { '#v': 'v', '#at': 'at', '#state': 'state' },
    ExpressionAttributeValues: { ':v': 1, ':at': at, ':state': state },
  });

/** Keeps when something of a flow last started to run in an environment: the latest instant, in whatever order they come. */
export const noteDeployed = (table: Table, org: OrganizationId, flow: FlowId, at: Micros): Promise<boolean> =>
  table.update(activityKey(org, 'flow', flow), {
    UpdateExpression: 'SET #v = :v, deployed = :at',
    ConditionExpression: 'attribute_not_exists(deployed) OR deployed < :at',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':at': at },
  });
