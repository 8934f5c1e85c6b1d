import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { getWhole } from '#shared/outgoing/get-whole.ts';
import type { FetchFile } from './update-public-root.ts';

/** Time limit of all requests of a refresh together, in milliseconds. The function has 30 seconds. */
const TIME_LIMIT_MILLIS = 20_000;

/**
 * Reads files of a repository by the guarded way out. All of them share one time limit, which begins now. An answer that is cut is no
 * answer.
 */
export function guardedFetch(guard: AddressGuard, timeLimitMillis = TIME_LIMIT_MILLIS): FetchFile {
  const deadline = AbortSignal.timeout(timeLimitMillis);
  return (address) => getWhole(address, { guard }, deadline, (sentence, cause) => new Error(sentence, { cause }));
}
