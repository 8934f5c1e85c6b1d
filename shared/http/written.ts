import type * as z from 'zod';
import type { Author } from '#shared/callers/author.ts';
import { type Appended, claimWrites, type EarlierRequest, type Made } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Answer, Request } from './endpoint.ts';
import { answerOf } from './idempotency.ts';

export type { Appended };

/**
 * The answer of simple writes (rules/requests.md#success-answers).
 * @param made what the request made, if the endpoint declares it (rules/requests.md#handles)
 */
export const ok = (status: 200 | 201, made?: Made): Answer<'OK'> => ({ status, body: 'OK', made });

/**
 * Returns the answer of a completed write. If an earlier request with the same Idempotency-Key was answered, returns
 * the answer of that request.
 * @throws ServiceError 400 if the key was used for another request
 */
export function written(answer: Answer<'OK'>, outcome: 'done' | EarlierRequest): Answer<'OK'> {
  if (outcome === 'done') return answer;
  const { status, made, appended } = answerOf(outcome);
  return { ...ok(status === 201 ? 201 : 200, made), appended };
}

/**
 * Returns the answer of an earlier request whose body is a record.
 * @throws ServiceError 400 if the key was used for another request
 */
export function repeated<S extends z.ZodType>(schema: S, outcome: EarlierRequest): Answer<z.output<S>> {
  const { status, body, made } = answerOf(outcome);
  return { status, body: schema.parse(body), made };
}

/** Stores the claim of a request that changes nothing. Without a claim nothing is stored. */
export const claimAlone = async (table: Table, claim: Write<EarlierRequest>[]): Promise<'done' | EarlierRequest> =>
  claim.length === 0 ? 'done' : table.transact(claim);

/**
 * Returns the function that answers a write which may append links to a chain.
 *
 * @returns a function of the links; null if the write appended none
 */
export const okAppending =
  (status: 200 | 201, made?: Made) =>
  (appended: Appended | null): Answer<'OK'> => ({ ...ok(status, made), ...(appended && { appended }) });

/** What a request says of its author. */
type Authored = Pick<Request, 'org' | 'caller' | 'receivedAt' | 'idempotency'>;

/**
 * Runs a use case that writes for the caller of a request, and answers its outcome. The claim of a request with an
 * Idempotency-Key stores this answer in the transaction of the use case.
 *
 * @param write calls the use case
 * @param answer makes the answer from the outcome; it runs for the claim as well, so it only computes
 * @param stored makes the answer that the claim stores, if it differs: secrets are not stored
 */
export async function answerWrite<Outcome, A extends Answer>(
  { org, caller, receivedAt, idempotency }: Authored,
  write: (by: Author<Outcome>) => Promise<Outcome>,
  answer: (outcome: Outcome) => A,
  stored: (outcome: Outcome) => Answer = answer,
): Promise<A> {
  const claim = (outcome: Outcome) => claimWrites(idempotency, stored(outcome), receivedAt);
  return answer(await write({ org, caller, receivedAt, claim }));
}
