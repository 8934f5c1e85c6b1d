import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { USER_AGENT } from '#shared/base/user-agent.ts';
import { type AddressGuard, AddressRefused } from './address-guard.ts';

/** The whole of a request, from its name's resolution to the end of its answer (design §6). */
export const TIME_LIMIT_MILLIS = 10_000;
/** As much of an answer is read; what it goes on to say is nobody's business. */
export const ANSWER_LIMIT = 64 * 1024;
/** As much of an answer is kept, as text. */
const FIRST_BYTES = 200;

export interface PostOptions {
  headers: Record<string, string>;
  body: string;
  guard: AddressGuard;
  timeoutMillis?: number;
  /** A clock that only goes forward, in milliseconds. */
  elapsed?: () => number;
}

/** What came of a request. */
export interface PostResult {
  /** Null where no answer came. */
  status: number | null;
  /** `refused`: the guard let nothing out. `gone`: 410. */
  outcome: 'delivered' | 'failed' | 'refused' | 'gone';
  /** A sentence for the target's owner. */
  detail: string;
  /** SHA-256 of the answer's body as far as it was read, in hex; null where there was none. */
  digest: string | null;
  /** The beginning of the answer's body, control characters made spaces. */
  firstBytes: string;
  /** The header as it came. */
  retryAfter?: string;
  durationMillis: number;
}

/**
 * Posts to an address that a caller of the API typed. Only 2xx is success; redirects are not followed; the answer is
 * read up to {@link ANSWER_LIMIT} (design §6). A 2xx counts even if its body breaks off: the receiver has said yes.
 * Every fault is a result; nothing is thrown.
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
      ...{ status: null, digest: null, firstBytes: '' },
      outcome: error instanceof AddressRefused ? 'refused' : 'failed',
      detail: deadline.signal.aborted ? `No answer within ${timeoutMillis / 1000} seconds` : faultText(error),
      durationMillis: Math.round(elapsed() - started),
    };
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(
  address: string,
  { headers, body, guard }: PostOptions,
  signal: AbortSignal,
): Promise<Omit<PostResult, 'durationMillis'>> {
  const url = new URL(address);
  guard.assertAllowed(url);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    // A connection of its own for each request: none is made without its addresses being judged.
    agent: false,
    lookup: guard.lookup(url),
    signal,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...headers },
  });
  try {
    const { status, retryAfter, ...read } = await answerOf(request, body);
    return { ...verdict(status, read.firstBytes), ...read, ...(retryAfter && { retryAfter }) };
  } finally {
    request.destroy();
  }
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  digest: string;
  firstBytes: string;
}

/** Sends, and reads the answer from the moment that it begins: an answer that broke off meanwhile would never end. */
function answerOf(request: http.ClientRequest, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      resolve(beginningOf(response).then((read) => ({ status, retryAfter: headers['retry-after'], ...read })));
    });
    // Stays in place after the answer: a connection may break once more while it is taken down.
    request.on('error', reject);
    request.on('close', () => reject(new Error('closed')));
    request.end(body);
  });
}

/** Reads up to the limit. A body that breaks off or runs out of time ends where it was. */
async function beginningOf(response: http.IncomingMessage): Promise<{ digest: string; firstBytes: string }> {
  const hash = createHash('sha256');
  const beginning: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    const part = chunk.subarray(0, ANSWER_LIMIT - length);
    if (length < FIRST_BYTES) beginning.push(part.subarray(0, FIRST_BYTES - length));
    hash.update(part);
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
  return { digest: hash.digest('hex'), firstBytes: printable(Buffer.concat(beginning).toString('utf8')) };
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

const FAULTS: Record<string, string> = {
  ENOTFOUND: 'The name of the target could not be resolved',
  EAI_AGAIN: 'The name of the target could not be resolved',
  ECONNREFUSED: 'The target refused the connection',
  EHOSTUNREACH: 'The target could not be reached',
  ENETUNREACH: 'The target could not be reached',
  ETIMEDOUT: 'The target could not be reached',
  ECONNRESET: 'The target closed the connection before it answered',
  EPIPE: 'The target closed the connection before it answered',
};

/** Codes only: the messages of the system name addresses that the target's owner need not be able to find out. */
function faultText(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return 'The target closed the connection before it answered';
  return FAULTS[code] ?? `The request to the target failed (${code})`;
}
