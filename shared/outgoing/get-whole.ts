import { type AddressGuard, AddressRefused } from './address-guard.ts';
import { faultText } from './faults.ts';
import { ANSWER_LIMIT, send } from './post.ts';

/**
 * Reads a document by the guarded way out. An answer that is cut is no answer.
 *
 * @param failed makes the error from a sentence that begins with the address
 * @returns any status; the caller decides which ones are answers
 * @throws Error that `failed` made, if there is no whole answer in time
 */
export async function getWhole(
  address: string,
  { headers = {}, guard }: { headers?: Record<string, string>; guard: AddressGuard },
  deadline: AbortSignal,
  failed: (sentence: string, cause?: unknown) => Error,
): Promise<{ status: number; bytes: Buffer }> {
  const late = 'No answer in time';
  const request = { method: 'GET', headers, body: '', guard } as const;
  const { status, bytes } = await send(address, request, deadline).catch((error: unknown) => {
    const isLate = deadline.aborted && !(error instanceof AddressRefused);
    throw failed(`${address}: ${isLate ? late : faultText(error)}`, error);
  });
  if (bytes.length >= ANSWER_LIMIT) throw failed(`${address}: The answer has ${ANSWER_LIMIT} bytes or more`);
  if (deadline.aborted) throw failed(`${address}: ${late}`);
  return { status, bytes };
}
