import type { OrganizationId } from '#shared/base/ids.ts';
import type { ChainedRecord } from '#shared/base/proofs/record-gone.ts';
import type { Clock } from '#shared/base/time.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Principals } from '#shared/callers/principals.ts';
import type { Engines } from '#shared/engines/engines.ts';
import type { PolicyEngine } from '#shared/engines/policy-engine.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import type { Table } from '#shared/table/table.ts';

/** The services that handlers use. */
export interface Services {
  table: Table;
  objects: Objects;
  engines: Engines;
  policies: PolicyEngine;
  clock: Clock;
  /**
   * Scheme and authority of the API, without a trailing slash. It is a setting: nothing of a request changes it
   * (rules/requests.md#links-in-answers).
   */
  address: string;
  /** Decides which addresses targets of notifications may have. */
  guard: AddressGuard;
  /** Returns the directory of keys, organizations and memberships in a table, for authentication. */
  principals: (table: Table) => Principals;
  /** The keys that sign. A function has only those that its endpoints declare to use. */
  keys: SigningKeys;
  /** Returns the origin that the log of an organization gets with its first entry (rules/log.md#origin). */
  origin: (org: OrganizationId) => string;
  /** Returns the end of these origins. */
  logDomain: () => string;
  /** Returns the index of a record's entry in the log; null if the log has none (rules/log.md#records-that-are-gone). */
  entryIndex: (table: Table, org: OrganizationId, record: ChainedRecord) => Promise<number | null>;
  witness: WitnessSettings;
}

/**
 * What the chain of an endpoint itself takes: the clock, and what it needs to know who calls. A function whose endpoints are all
 * public has only the clock.
 */
export type ChainServices = Pick<Services, 'clock'> &
  Partial<Pick<Services, 'table' | 'principals' | 'address' | 'guard' | 'engines' | 'entryIndex'>>;

/** What the chain takes if endpoints ask who calls. */
export type CallerServices = Required<ChainServices>;

/** Settings about witnesses, as text: only the functions of logs read them (rules/log.md#settings-of-witnesses). */
export interface WitnessSettings {
  /** Keys of the logs that the witness of this region cosigns, separated by white space. */
  logs: string;
  /** The policy that says which witnesses cosign the logs of this region. */
  policy?: string | undefined;
}
