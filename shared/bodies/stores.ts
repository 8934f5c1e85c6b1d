import type { Clock } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Objects } from './objects.ts';

/** Where a use case reads and writes records and long texts, and its clock. It names those that it takes: `Pick<Stores, 'table'>`. */
export interface Stores {
  table: Table;
  objects: Objects;
  clock: Clock;
}

/** Where a use case reads records and long texts. */
export type Reading = Pick<Stores, 'table' | 'objects'>;
