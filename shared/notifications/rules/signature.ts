import { createHmac, randomBytes } from 'node:crypto';
import type { Micros } from '#shared/base/time.ts';

/** Signatures after the Standard Webhooks convention, symmetric scheme `v1` (design §6). */

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
const MINTED_BYTES = 32;

/** What a secret must look like, for whoever brings one. */
export const SECRET_FORM = `Secret should be '${PREFIX}' followed by ${LEAST_BYTES} to ${MOST_BYTES} bytes in base64`;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const mintSecret = (random: (size: number) => Uint8Array = randomBytes): string =>
  PREFIX + Buffer.from(random(MINTED_BYTES)).toString('base64');

export const isSecret = (text: string): boolean => keyOf(text) !== null;

/** The key of a secret; null for anything but canonical base64 of a fit length. */
function keyOf(secret: string): Buffer | null {
  if (!secret.startsWith(PREFIX)) return null;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const fits = key.length >= LEAST_BYTES && key.length <= MOST_BYTES;
  return fits && key.toString('base64') === encoded ? key : null;
}

/**
 * The three headers of one attempt.
 * @param id of the delivery: the same over all attempts, so that receivers can tell repetitions
 * @param at of the attempt: receivers refuse what is more than five minutes off
 * @param body exactly as it is sent
 * @param secrets all that are valid now, the newest first: while one is being replaced, either verifies
 * @throws Error when there is no secret, or one is not of the form that {@link isSecret} accepts
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
    if (!key) throw new Error('A stored signing secret has not the form of one');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
