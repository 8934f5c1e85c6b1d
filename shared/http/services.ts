import type { Clock } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Engines } from '#shared/engines/engines.ts';
import type { PolicyEngine } from '#shared/engines/policy-engine.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Table } from '#shared/table/table.ts';
import type { Principals } from './principals.ts';

/** What handlers are given: the table, the evidence bucket, the engines for what callers wrote, the clock. */
export interface Services {
  table: Table;
  objects: Objects;
  engines: Engines;
  policies: PolicyEngine;
  clock: Clock;
  /** Says which addresses targets of notifications may have. */
  guard: AddressGuard;
  /** Where authentication finds keys, organizations and memberships of a table. */
  principals: (table: Table) => Principals;
}
