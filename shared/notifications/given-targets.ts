import { hash } from 'node:crypto';
import { type AddressGuard, urlError } from '#shared/outgoing/address-guard.ts';
import type { Target } from './rules/records.ts';
import { isMasked } from './rules/shown-address.ts';
import { isSecret, SECRET_FORM } from './rules/signature.ts';

/** What may be stored of the targets that a request gives (rules/notifications.md#target-types). */

/** The error for an address that a reader got. Saving it would lose the real one. */
const MASKED = 'The address is masked. Read the action as a member to get the whole address';

/**
 * Returns what is wrong with the address of a chat or a webhook. Does not resolve names
 * (rules/notifications.md#webhook-address).
 */
export const addressError = (address: string, guard: Pick<AddressGuard, 'assertAllowed'>): string | undefined =>
  isMasked(address) ? MASKED : urlError(address, guard);

/**
 * Returns what is wrong with a secret, without the secret (rules/notifications.md#secret-of-a-request).
 *
 * @param earlier the secret that another target of the request brought
 */
export function secretError(secret: string, earlier: string | undefined): string | undefined {
  if (!isSecret(secret)) return SECRET_FORM;
  return earlier !== undefined && earlier !== secret ? 'All webhook targets of an action share one secret' : undefined;
}

/**
 * Gives a target its key. Targets with the same type and address have the same key, so a target keeps its health over
 * saves of its action (rules/notifications.md#target-key).
 */
export function withKey(target: Omit<Target, 'key'>): Target {
  const { type, webhook, emails = [] } = target;
  const address = webhook ?? [...emails].sort().join(',');
  return { key: hash('sha256', `${type}|${address}`).slice(0, 32), ...target };
}
