import type { OrganizationId } from '#shared/base/ids.ts';
import type { ChainedRecord } from '#shared/base/proofs/record-gone.ts';
import type { Clock } from '#shared/base/time.ts';
import type { AccessTokens } from '#shared/callers/access-tokens.ts';
import type { Principals } from '#shared/callers/principals.ts';
import type { StageLimits } from '#shared/callers/request-limits.ts';
import type { Engines } from '#shared/engines/engines.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Table } from '#shared/table/table.ts';

/** What the chain of an endpoint takes that asks who calls. The handler names what it takes besides. */
export interface CallerServices {
  clock: Clock;
  table: Table;
  /** Returns the directory of keys, organizations and memberships in a table, for authentication. */
  principals: (table: Table) => Principals;
  /**
   * Scheme and authority of the API, without a trailing slash. It is a setting: nothing of a request changes it
   * (rules/requests.md#links-in-answers).
   */
  address: string;
  /** For checks of requests: which addresses targets of notifications may have. */
  guard: AddressGuard;
  /** The limits of organizations and keys; undefined limits nobody (rules/requests.md#limits-of-organizations). */
  limits?: StageLimits | undefined;
  /** The provider whose access tokens some endpoints take; absent if there is none, and in functions without such endpoints. */
  accessTokens?: AccessTokens | undefined;
  /** For checks of requests: programs of callers. */
  engines: Engines;
  /** Returns the index of a record's entry in the log; null if the log has none (rules/log.md#records-that-are-gone). */
  entryIndex: (table: Table, org: OrganizationId, record: ChainedRecord) => Promise<number | null>;
}

/** What the chain of any endpoint takes. A function whose endpoints are all public has only the clock. */
export type ChainServices = Pick<CallerServices, 'clock'> & Partial<Omit<CallerServices, 'clock'>>;
