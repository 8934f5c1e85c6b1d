import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { USER_AGENT } from '#shared/base/user-agent.ts';
import { type AddressGuard, AddressRefused } from './address-guard.ts';
import { faultText, timeoutText } from './faults.ts';

/**
 * Time limit of a request in milliseconds, from the resolution of its name to the end of the answer
 * (rules/notifications.md#allowed-addresses).
 */
export const TIME_LIMIT_MILLIS = 10_000;
/** Most bytes of an answer that are read. */
export const ANSWER_LIMIT = 64 * 1024;
/** Most characters of an answer that are stored. */
const FIRST_BYTES = 200;

export interface PostOptions {
  headers: Record<string, string>;
  body: string;
  guard: AddressGuard;
  timeoutMillis?: number | undefined;
  /** A monotonic clock in milliseconds. */
  elapsed?: (() => number) | undefined;
}

/** The result of a request. */
interface PostResult {
  /** Null if there was no answer. */
  status: number | null;
  /** `refused`: the guard refused the address. `gone`: 410. */
  outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  /** A sentence for the owner of the target. */
  detail: string;
  /** SHA-256 of the part of the body that was read, in hex; null if there was none. */
  digest: string | null;
  /** The start of the body. Control characters become spaces. */
  firstBytes: string;
  /** The header, unchanged. */
  retryAfter?: string;
  durationMillis: number;
}

/**
 * Posts to an address that a caller of the API gave. Only 2xx is a success. Redirects are not followed. At most {@link
 * ANSWER_LIMIT} bytes of the answer are read. A 2xx counts even if its body breaks off, because the receiver has
 * accepted the message. Every fault is a result; nothing is thrown.
 */
export async function post(address: string, options: PostOptions): Promise<PostResult> {
  const { timeoutMillis = TIME_LIMIT_MILLIS, elapsed = () => performance.now() } = options;
  const started = elapsed();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMillis);
  try {
    const answer = await exchange(address, options, deadline.signal);
    return { ...answer, durationMillis: Math.round(elapsed() - started) };
  } catch (error) {
    return {
      status: null,
      digest: null,
      firstBytes: '',
      outcome: error instanceof AddressRefused ? 'refused' : 'failed',
      detail: deadline.signal.aborted ? timeoutText(timeoutMillis) : faultText(error),
      durationMillis: Math.round(elapsed() - started),
    };
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(
  address: string,
  options: Pick<PostOptions, 'headers' | 'body' | 'guard'>,
  signal: AbortSignal,
): Promise<Omit<PostResult, 'durationMillis'>> {
  const { status, headers, bytes } = await send(address, options, signal);
  const firstBytes = printable(bytes.subarray(0, FIRST_BYTES).toString('utf8'));
  const digest = createHash('sha256').update(bytes).digest('hex');
  const { 'retry-after': retryAfter } = headers;
  return { ...verdict(status, firstBytes), digest, firstBytes, ...(retryAfter && { retryAfter }) };
}

/** An answer with the part of its body that was read. */
interface PostAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/**
 * Calls an address and returns the answer, for callers that read it. Redirects are not followed. At most {@link
 * ANSWER_LIMIT} bytes are read.
 *
 * @throws AddressRefused if the guard refuses the address; Error if there is no answer
 */
export async function send(
  address: string,
  {
    method = 'POST',
    headers,
    body,
    guard,
  }: Pick<PostOptions, 'headers' | 'body' | 'guard'> & { method?: 'GET' | 'POST' },
  signal: AbortSignal,
): Promise<PostAnswer> {
  const url = new URL(address);
  guard.assertAllowed(url);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method,
    // Each request opens its own connection, so that the guard checks the addresses of each.
    agent: false,
    lookup: guard.lookup(url),
    signal,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers },
  });
  try {
    return await answerOf(request, body);
  } finally {
    request.destroy();
  }
}

/**
 * Sends the request and reads the answer from its first byte, because an answer that breaks off before a reader is
 * attached never ends.
 */
function answerOf(request: http.ClientRequest, body: string): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      resolve(beginningOf(response).then((bytes) => ({ status, headers, bytes })));
    });
    // Stays attached after the answer, because a connection can fail again while it closes.
    request.on('error', reject);
    request.on('close', () => reject(new Error('closed')));
    request.end(body);
  });
}

/** Reads a body up to the limit. A body that breaks off or times out ends there. */
async function beginningOf(response: http.IncomingMessage): Promise<Buffer> {
  const beginning: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    const part = chunk.subarray(0, ANSWER_LIMIT - length);
    beginning.push(part);
    length += part.length;
  };
  await new Promise<void>((resolve) => {
    response.on('data', (chunk: Buffer) => {
      take(chunk);
      if (length >= ANSWER_LIMIT) response.destroy();
    });
    response.on('error', () => resolve());
    response.on('close', () => resolve());
  });
  return Buffer.concat(beginning);
}

/** Parses an answer of another service. Returns undefined if it is not JSON. */
export function jsonOrNothing(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();

function verdict(status: number, said: string): Pick<PostResult, 'status' | 'outcome' | 'detail'> {
  const quoted = said === '' ? '' : `: ${said}`;
  if (status >= 200 && status < 300) return { status, outcome: 'delivered', detail: `The target answered ${status}` };
  if (status === 410) return { status, outcome: 'gone', detail: `The target answered 410 and is disabled${quoted}` };
  if (status >= 300 && status < 400) {
    return { status, outcome: 'failed', detail: `The target answered ${status}; redirects are not followed` };
  }
  return { status, outcome: 'failed', detail: `The target answered ${status}${quoted}` };
}
