import type { Micros } from '#shared/base/time.ts';
import type { Write } from '#shared/table/table.ts';
import type { Caller, Organization } from './caller.ts';

/**
 * Who makes a change: what every use case that writes gets from its door. The use case puts the claim first into its
 * transaction, and makes the audit entry from the caller and the instant.
 *
 * @template Outcome what the use case returns
 */
export interface Author<Outcome = never> {
  org: Organization;
  caller: Caller;
  /** When the door received the request. */
  receivedAt: Micros;
  /**
   * Returns the writes that let the door repeat its answer to this outcome if the same request comes again; none if the
   * caller did not ask for that (rules/requests.md#idempotency-key). If an earlier request was answered, the transaction
   * throws `AnsweredBefore`.
   */
  claim: (outcome: Outcome) => Write[];
}
