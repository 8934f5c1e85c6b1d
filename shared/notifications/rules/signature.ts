import { createHmac, randomBytes } from 'node:crypto';
import type { Micros } from '#shared/base/time.ts';

/** Signatures by the Standard Webhooks convention, symmetric scheme `v1` (`rules/notifications.md#signature-headers`). */

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
const MINTED_BYTES = 32;

/** The form of a secret, for error texts and descriptions. */
export const SECRET_FORM = `Secret should be '${PREFIX}' followed by ${LEAST_BYTES} to ${MOST_BYTES} bytes in base64`;

// The form of a secret in base64, for the OpenAPI document: 8 to 21 groups of three bytes, and an end.
const GROUPS = '([A-Za-z0-9+/]{4})';
const ONE_BYTE = '[A-Za-z0-9+/][AQgw]==';
const TWO_BYTES = '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=';
export const SECRET_PATTERN = `^whsec_(${GROUPS}{8,20}(${ONE_BYTE}|${TWO_BYTES})?|${GROUPS}{21}(${ONE_BYTE})?)$`;

/** Makes a new secret: `whsec_` and 32 random bytes in base64. */
export const mintSecret = (): string => PREFIX + randomBytes(MINTED_BYTES).toString('base64');

export const isSecret = (text: string): boolean => keyOf(text) !== null;

/** Decodes the key of a secret; null for a text that is not canonical base64 or has a wrong length. */
function keyOf(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX)) return null;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const fits = key.length >= LEAST_BYTES && key.length <= MOST_BYTES;
  return fits && key.toString('base64') === encoded ? key : null;
}

/**
 * Makes the three signature headers of one attempt.
 * @param id id of the delivery: the same for all attempts, so that receivers recognize repetitions
 * @param at time of the attempt, because receivers refuse requests that are more than five minutes old
 * @param body the body exactly as it is sent
 * @param secrets all secrets that are valid now, the newest first; each gives a signature, so that receivers can verify
 *   with any of them
 * @throws Error if there is no secret, or {@link isSecret} does not accept one of them
 */
export function signatureHeaders(
  id: string,
  at: Micros,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  if (secrets.length === 0) throw new Error('Nothing can be signed without a secret');
  const timestamp = String(Math.floor(at / 1e6));
  const signatures = secrets.map((secret) => {
    const key = keyOf(secret);
    if (!key) throw new Error(`A stored signing secret is malformed. ${SECRET_FORM}`);
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
