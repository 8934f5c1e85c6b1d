import * as z from 'zod';
import type { Id, OrganizationId } from '#shared/base/ids.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { absent, below, change, either } from '#shared/table/expressions.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { CatalogueKind } from './catalogue.ts';
import { activityKey } from './keys.ts';

/**
 * The last event of a record and the state word after it (rules/lists.md#activity). The word is empty for kinds of record
 * without states.
 */
export interface Activity {
  at: Micros;
  state: string;
}

/** The part of the item with derived facts that states the activity. */
export const ActivityItem = z.object({ at: StoredMicros.optional(), state: z.string().optional() });

/** Reads the activity in the item with derived facts; null if none is stored. */
export function readActivity(item: Item | undefined): Activity | null {
  if (!item) return null;
  const { at, state } = ActivityItem.parse(item);
  return at === undefined || state === undefined ? null : { at, state };
}

/**
 * Stores the latest activity of a record beside its entry in the catalogue. Older activity changes nothing, so calls
 * may come in any order. Readers ignore the activity of records that left the catalogue.
 * @returns whether the activity was newer than the stored one
 */
export const recordActivity = <Of extends Id>(
  table: Table,
  org: OrganizationId,
  kind: CatalogueKind<Of>,
  id: Of,
  { at, state }: Activity,
): Promise<boolean> =>
  table.update(
    activityKey(org, kind.name, id),
    change({ set: { v: 1, at, state } }, either(absent('at'), below({ at }))),
  );

/**
 * Stores an instant in the item with derived facts, in the attribute `name`. Older instants change nothing.
 * @returns whether the instant was later than the stored one
 */
export const recordInstant = <Of extends Id>(
  table: Table,
  org: OrganizationId,
  kind: CatalogueKind<Of>,
  id: Of,
  name: string,
  at: Micros,
): Promise<boolean> =>
  table.update(
    activityKey(org, kind.name, id),
    change({ set: { v: 1, [name]: at } }, either(absent(name), below({ [name]: at }))),
  );
