import type { Engines } from './engines/engines.ts';
import type { Objects } from './store/objects.ts';
import type { Table } from './store/table.ts';
import type { Clock } from './time.ts';

/** What handlers are given: the table, the evidence bucket, the engines for caller-written programs, the clock. */
export interface Services {
  table: Table;
  objects: Objects;
  engines: Engines;
  clock: Clock;
}
