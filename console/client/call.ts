import { csrfTokenOf } from '../account/model/sign-in.ts';
import { ApiProblem, problemOf } from './api-problem.ts';
import { addressOf, type Operation } from './operations.ts';

/** Answers with an ETag, by address. A 304 gives the same object again, so that nothing is drawn anew. */
const kept = new Map<string, { etag: string; body: unknown }>();
const MOST_KEPT = 60;

/** Forgets all answers: the caller signed out, or signed in as somebody else. */
export const forgetAnswers = (): void => kept.clear();

interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/**
 * Calls an operation. The cookie of the session is the credential.
 * @throws ApiProblem if the answer is no success, or if none comes
 */
export async function call<P extends object, Q extends object, B, O>(
  operation: Operation<P, Q, B, O>,
  params: P,
  query: Q,
  body?: B,
  { signal, headers = {} }: CallOptions = {},
): Promise<O> {
  const address = addressOf(operation.path, params, query);
  const isRead = operation.method === 'GET';
  const before = isRead ? kept.get(address) : undefined;
  const isForm = body instanceof FormData;
  const response = await request(address, {
    method: operation.method,
    credentials: 'same-origin',
    // Evidence stays out of the browser's own store; the answers say `no-store` as well.
    cache: 'no-store',
    headers: {
      accept: 'application/json',
      ...(before && { 'if-none-match': before.etag }),
      // The browser names the type of a form itself, with the text between its parts.
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      // A repeated write has one effect (the same click that the network sent twice).
      ...(!isRead && { 'idempotency-key': crypto.randomUUID(), 'x-csrf-token': csrfTokenOf(document.cookie) }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  // `before` is the answer of the same operation.
  if (response.status === 304 && before) return before.body as O;
  if (!response.ok) throw await problemOf(response);
  const answer = response.status === 204 ? undefined : await response.json();
  const etag = response.headers.get('etag');
  if (isRead && etag !== null) keep(address, { etag, body: answer });
  // The service checks its answers against the definition of the endpoint, from which O is taken.
  return answer as O;
}

async function request(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem('The service cannot be reached. Check the network connection.', { status: 0, cause: error });
  }
}

function keep(address: string, answer: { etag: string; body: unknown }): void {
  kept.delete(address);
  kept.set(address, answer);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}
