import { type AddressGuard, AddressRefused } from '#shared/outgoing/address-guard.ts';
import { faultText } from '#shared/outgoing/faults.ts';
import { ANSWER_LIMIT, send } from '#shared/outgoing/post.ts';
import type { FetchFile } from './update-public-root.ts';

/** Time limit of all requests of a refresh together, in milliseconds. The function has 30 seconds. */
const TIME_LIMIT_MILLIS = 20_000;

/**
 * Reads files of a repository by the guarded way out. All of them share one time limit, which begins now. An answer that is cut is no
 * answer.
 */
export function guardedFetch(guard: AddressGuard, timeLimitMillis = TIME_LIMIT_MILLIS): FetchFile {
  const deadline = AbortSignal.timeout(timeLimitMillis);
  return async (address) => {
    const failed = (why: string, cause?: unknown) => new Error(`${address}: ${why}`, { cause });
    const request = { method: 'GET', headers: {}, body: '', guard } as const;
    const { status, bytes } = await send(address, request, deadline).catch((error: unknown) => {
      const isLate = deadline.aborted && !(error instanceof AddressRefused);
      throw failed(isLate ? 'No answer in time' : faultText(error), error);
    });
    if (deadline.aborted) throw failed('No answer in time');
    if (bytes.length >= ANSWER_LIMIT) throw failed(`The answer has ${ANSWER_LIMIT} bytes or more`);
    return { status, bytes };
  };
}
