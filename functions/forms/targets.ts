import * as z from 'zod';
import { EPOCH, toSeconds } from '#shared/base/time.ts';
import type { FieldErrors } from '#shared/base/validation.ts';
import { isDictionary, noErrors, refuseIfAny, withInput, withSecretInput } from '#shared/base/validation.ts';
import type { Role } from '#shared/callers/roles.ts';
import { addressError, secretError, withKey } from '#shared/notifications/given-targets.ts';
import { PAYLOAD_VERSION } from '#shared/notifications/rules/payload.ts';
import type { Target, TargetHealth } from '#shared/notifications/rules/records.ts';
import { shownAddress } from '#shared/notifications/rules/shown-address.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import { isMailAddress, MOST_RECIPIENTS } from '#shared/outgoing/mail-address.ts';
import { Context, MOST_TARGETS, TargetIn } from './target-request.ts';

/** The targets of requests and of answers (`rules/notifications.md#target-types`). */

/**
 * Checks the addresses, recipients and secrets of the targets whose shape is valid, in a body that may be invalid.
 * @param sent the body of the request as sent
 * @throws ServiceError `invalid` like {@link readTargets}
 */
export function checkTargets(sent: unknown, guard: Pick<AddressGuard, 'assertAllowed'>): void {
  const targets: unknown = isDictionary(sent) ? sent['targets'] : undefined;
  if (!Array.isArray(targets) || targets.length > MOST_TARGETS) return;
  readTargets(
    targets.map((target) => TargetIn.safeParse(target).data),
    guard,
  );
}

/** The targets of a request as they are stored, and the action's secret if a target brought one. */
export interface ReadTargets {
  targets: Target[];
  secret: string | undefined;
}

/**
 * Checks addresses, recipients and secrets of targets whose shape is valid. Does not resolve names
 * (`rules/notifications.md#webhook-address`).
 *
 * @param requested undefined stands for a target that its schema refused
 * @throws ServiceError `invalid` with a text for each wrong field, such as `targets[0].webhook` or `targets[1].emails[2]`
 */
export function readTargets(
  requested: readonly (TargetIn | undefined)[],
  guard: Pick<AddressGuard, 'assertAllowed'>,
): ReadTargets {
  const errors = noErrors();
  const targets: Target[] = [];
  const places = new Map<string, string>();
  let secret: string | undefined;
  for (const [n, target] of requested.entries()) {
    if (!target) continue;
    const place = `targets[${n}]`;
    const read = readTarget(target, place, guard, errors);
    const twin = places.get(read.key);
    if (twin !== undefined) errors[place] ??= `Target has the same address as ${twin}`;
    places.set(read.key, twin ?? place);
    targets.push(read);
    if (target.type === 'WEBHOOK' && target.secret != null) {
      const wrong = secretError(target.secret, secret);
      if (wrong !== undefined) errors[`${place}.secret`] = wrong;
      secret ??= target.secret;
    }
  }
  refuseIfAny(errors);
  return { targets, secret };
}

function readTarget(
  target: TargetIn,
  place: string,
  guard: Pick<AddressGuard, 'assertAllowed'>,
  errors: FieldErrors,
): Target {
  if (target.type === 'EMAIL') {
    const emails = readRecipients(target, place, errors);
    return withKey({ type: 'EMAIL', emails });
  }
  const { webhook } = target;
  const wrong = addressError(webhook, guard);
  if (wrong !== undefined) errors[`${place}.webhook`] = withSecretInput(wrong);
  if (target.type === 'WEBHOOK') {
    const payloadVersion = target.payload_version ?? PAYLOAD_VERSION;
    return withKey({ type: 'WEBHOOK', webhook, payloadVersion });
  }
  return withKey({ type: 'CHAT', webhook, ...(target.context && { context: target.context }) });
}

/** Checks the recipients under both names. `emails` wins if both are there. */
function readRecipients(target: TargetIn & { type: 'EMAIL' }, place: string, errors: FieldErrors): string[] {
  const { emails, email } = target;
  const second = email == null ? undefined : recipientsIn(email, `${place}.email`, errors);
  const first = emails == null ? undefined : recipientsIn(emails, `${place}.emails`, errors);
  if (!first && !second) errors[`${place}.emails`] = withInput('Field required', undefined);
  return first ?? second ?? [];
}

function recipientsIn(given: string | string[], name: string, errors: FieldErrors): string[] {
  const inOneText = typeof given === 'string';
  const emails = (inOneText ? given.split(',') : given).map((email) => email.replace(/^ +| +$/g, ''));
  if (emails.length === 0 || emails.length > MOST_RECIPIENTS) {
    errors[name] = withInput(`List should have 1 to ${MOST_RECIPIENTS} e-mail addresses`, given);
  }
  for (const [n, email] of emails.entries()) {
    if (isMailAddress(email)) continue;
    errors[inOneText ? name : `${name}[${n}]`] ??= withInput('Input should be a valid e-mail address', email);
    if (n >= MOST_RECIPIENTS) break;
  }
  return [...new Set(emails)];
}

/** Health of a target in an answer; times in seconds, 0 = never (`rules/notifications.md#health`). */
const health = {
  last_success_at: z
    .number()
    .describe('Last successful attempt in seconds since the epoch; 0 = none. Ignored in requests'),
  last_failure_at: z.number().describe('Last failed attempt in seconds since the epoch; 0 = none. Ignored in requests'),
  disabled: z
    .literal(true)
    .optional()
    .meta({ description: 'The target answered 410: nothing is sent there until the action is saved again' }),
};
const ShownAddress = z.string().meta({
  description: 'For roles below `member`, path and query are replaced by `…` and a short digest of the address',
});

/** One target of an answer, with its health. */
export const TargetOut = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('CHAT').describe('The type'),
        webhook: ShownAddress,
        context: Context.describe('Where in the chat the events go'),
        ...health,
      })
      .meta({ id: 'ChatTarget' }),
    z
      .object({
        type: z.literal('WEBHOOK').describe('The type'),
        webhook: ShownAddress,
        payload_version: z.string().describe('Version of the payload'),
        ...health,
      })
      .meta({ id: 'WebhookTarget' }),
    z
      .object({
        type: z.literal('EMAIL').describe('The type'),
        emails: z.array(z.string()).describe('Addresses that get a mail'),
        ...health,
      })
      .meta({ id: 'EmailTarget' }),
  ])
  .meta({ id: 'Target' });
export type TargetOut = z.input<typeof TargetOut>;

/**
 * Describes a target for a caller with this role.
 * @param known the target's health; undefined before its first attempt
 */
export function targetOut(
  target: Target,
  known: Pick<TargetHealth, 'lastSuccess' | 'lastFailure' | 'disabled'> | undefined,
  role: Role,
): TargetOut {
  const times = {
    last_success_at: toSeconds(known?.lastSuccess ?? EPOCH),
    last_failure_at: toSeconds(known?.lastFailure ?? EPOCH),
    ...(known?.disabled && { disabled: true as const }),
  };
  const { type, payloadVersion = PAYLOAD_VERSION, emails = [], context = {} } = target;
  const webhook = target.webhook === undefined ? '' : shownAddress(target.webhook, role);
  switch (type) {
    case 'CHAT':
      return { type, webhook, context, ...times };
    case 'WEBHOOK':
      return { type, webhook, payload_version: payloadVersion, ...times };
    case 'EMAIL':
      return { type, emails, ...times };
  }
}
