import Negotiator from 'negotiator';

/** Codings of bodies, the best one first. */
export type Coding = 'br' | 'gzip';

/**
 * Returns the best coding that the caller accepts, or undefined if the caller accepts none of them
 * (rules/requests.md#compression).
 *
 * @param acceptEncoding the header of the request
 */
export function acceptedCoding<C extends Coding>(
  acceptEncoding: string | undefined,
  offered: readonly C[],
): C | undefined {
  const headers = { 'accept-encoding': acceptEncoding };
  const accepted = new Negotiator({ headers }).encodings([...offered, 'identity']);
  return offered.find((coding) => accepted.includes(coding));
}
