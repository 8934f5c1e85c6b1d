import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Answer } from './endpoint.ts';
import { answerOf } from './idempotency.ts';

/** The answer of simple writes (rules/requests.md#success-answers). */
export const ok = (status: 200 | 201): Answer<'OK'> => ({ status, body: 'OK' });

/**
 * Returns the answer of a completed write. If an earlier request with the same Idempotency-Key was answered, returns
 * the answer of that request.
 * @throws ApiError 400 if the key was used for another request
 */
export const written = (answer: Answer<'OK'>, outcome: 'done' | EarlierRequest): Answer<'OK'> =>
  outcome === 'done' ? answer : ok(answerOf(outcome).status === 201 ? 201 : 200);

/** Stores the claim of a request that changes nothing. Without a claim nothing is stored. */
export const claimAlone = async (table: Table, claim: Write<EarlierRequest>[]): Promise<'done' | EarlierRequest> =>
  claim.length === 0 ? 'done' : table.transact(claim);
