import type { Id } from '../ids.ts';
import type { Micros } from '../time.ts';
import { activityKey } from './keys.ts';
import type { Table } from './table.ts';

/** When something last happened, and the word that it left (semantics §11); repositories have no word. */
export interface Activity {
  at: Micros;
  state: string;
}

/** What has activity: a flow, or a repository that reports name. */
export interface Active {
  org: Id;
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
    ConditionExpression: 'attribute_not_exists(pk) OR #at < :at',
    ExpressionAttributeNames: { '#v': 'v', '#at': 'at', '#state': 'state' },
    ExpressionAttributeValues: { ':v': 1, ':at': at, ':state': state },
  });
