import type { Author } from '#shared/callers/author.ts';
import { type Appended, claimWrites, type Made } from '#shared/table/idempotency.ts';
import type { Answer, Request } from './request.ts';

export type { Appended };

/**
 * The answer of simple writes (rules/requests.md#success-answers).
 * @param made what the request made, if the endpoint declares it (rules/requests.md#handles)
 */
export const ok = (status: 200 | 201, made?: Made): Answer<'OK'> => ({ status, body: 'OK', made });

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

/** Runs a use case as {@link answerWrite} does, and answers 200 `"OK"` whatever its outcome is. */
export const answerOk = <Outcome>(request: Authored, write: (by: Author<Outcome>) => Promise<Outcome>) =>
  answerWrite(request, write, () => ok(200));
