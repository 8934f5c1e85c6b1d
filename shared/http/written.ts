import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Answer } from './endpoint.ts';
import { answerOf } from './idempotency.ts';

/** What simple writes answer (wire admin §1.2). */
export const ok = (status: 200 | 201): Answer<'OK'> => ({ status, body: 'OK' });

/**
 * The answer of a write whose transaction is decided: its own, or the one that an earlier request under the same
 * Idempotency-Key was given.
 * @throws ApiError 400 when the key was used for another request
 */
export const written = (answer: Answer<'OK'>, outcome: 'done' | EarlierRequest): Answer<'OK'> =>
  outcome === 'done' ? answer : ok(answerOf(outcome).status === 201 ? 201 : 200);

/** Remembers the answer of a request that changes nothing: the claim alone, or nothing where there is none. */
export const claimAlone = async (table: Table, claim: Write<EarlierRequest>[]): Promise<'done' | EarlierRequest> =>
  claim.length === 0 ? 'done' : table.transact(claim);
