import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { type Activity, ActivityItem, readActivity, recordInstant } from '#shared/series/activity.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { FLOWS } from '../rules/series-kinds.ts';

/** Derived facts about a flow. Each can be known without the other. */
interface Derived {
  activity: Activity | null;
  /** When an artifact of the flow last started to run in an environment. */
  deployed: Micros | null;
}

export const DerivedItem = ActivityItem.extend({ deployed: StoredMicros.optional() });

/** Reads the item with derived facts. Without an item nothing is known. */
export function readDerived(item: Item | undefined): Derived {
  if (!item) return { activity: null, deployed: null };
  return { activity: readActivity(item), deployed: DerivedItem.parse(item).deployed ?? null };
}

/** Stores when an artifact of a flow last started to run in an environment. Older instants change nothing. */
export const recordDeployed = (table: Table, org: OrganizationId, flow: FlowId, at: Micros): Promise<boolean> =>
  recordInstant(table, org, FLOWS, flow, 'deployed', at);
