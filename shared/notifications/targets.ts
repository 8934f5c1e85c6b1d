import { hash } from 'node:crypto';
import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { FieldErrors } from '#shared/base/validation.ts';
import { isDictionary, noErrors, refuseIfAny, withInput, withSecretInput } from '#shared/base/validation.ts';
import { type AddressGuard, AddressRefused } from '#shared/outgoing/address-guard.ts';
import { isMailAddress, MOST_RECIPIENTS } from '#shared/outgoing/mail-address.ts';
import { PAYLOAD_VERSION } from './rules/payload.ts';
import type { Target, TargetHealth } from './rules/records.ts';
import { isSecret, SECRET_FORM } from './rules/signature.ts';

/** Targets of actions in requests and in answers (`rules/notifications.md#target-types`). */

/** The most characters of a webhook address. */
const LONGEST_URL = 2048;
/** The most targets of an action. With them, an action stays far below the size limit of an item. */
export const MOST_TARGETS = 20;

const Context = z.object({ channel_id: z.string(), channel_name: z.string(), team_id: z.string() }).partial();

/** Present only if {@link mergeConfig} could not merge it. Then the validation refuses what is no object. */
const config = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: 'The other fields of the target may be given in here instead' });

const ChatIn = z
  .object({ type: z.literal(['CHAT', 'SLACK']), webhook: z.string(), context: Context.nullish(), config })
  .meta({ id: 'ChatTargetRequest' });
const WebhookIn = z
  .object({
    type: z.literal('WEBHOOK'),
    webhook: z.string(),
    payload_version: z.literal(PAYLOAD_VERSION).nullish(),
    secret: z
      .string()
      .nullish()
      .meta({ description: `One per action; kept where it is absent, made where there is none. ${SECRET_FORM}` }),
    config,
  })
  .meta({ id: 'WebhookTargetRequest' });
const Recipients = z.union([z.string(), z.array(z.string())]);
const EmailIn = z
  .object({
    type: z.literal('EMAIL'),
    emails: Recipients.nullish().meta({ description: 'A list, or one text with commas between the addresses' }),
    email: Recipients.nullish().meta({ description: 'Another name of `emails`' }),
    config,
  })
  .meta({ id: 'EmailTargetRequest' });

/**
 * One target of a request. A nested `config` is merged before the validation (`rules/notifications.md#nested-config`).
 */
export const TargetIn = z.preprocess(
  mergeConfig,
  z.discriminatedUnion('type', [ChatIn, WebhookIn, EmailIn], {
    error: ({ code, input }) => {
      if (code !== 'invalid_union') return undefined;
      return withInput("Input should be 'CHAT', 'WEBHOOK' or 'EMAIL'", (input as Record<string, unknown>)['type']);
    },
  }),
);
export type TargetIn = z.output<typeof TargetIn>;

/** The `targets` of a request. {@link readTargets} checks their addresses and secrets. */
export const TargetsIn = z.array(TargetIn).min(1).max(MOST_TARGETS);

function mergeConfig(target: unknown): unknown {
  if (!isDictionary(target) || !isDictionary(target['config'])) return target;
  const { config: nested, ...outer } = target;
  return { ...outer, ...nested, type: outer['type'] ?? nested['type'] };
}

/**
 * Checks the addresses, recipients and secrets of the targets whose shape is valid, in a body that may be invalid.
 * @param sent the body of the request as sent
 * @throws ApiError 400 like {@link readTargets}
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
 * @throws ApiError 400 with a text for each wrong field, such as `targets[0].webhook` or `targets[1].emails[2]`
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

/** Returns what is wrong with a secret, without the secret (`rules/notifications.md#secret-of-a-request`). */
function secretError(secret: string, earlier: string | undefined): string | undefined {
  if (!isSecret(secret)) return SECRET_FORM;
  return earlier !== undefined && earlier !== secret ? 'All webhook targets of an action share one secret' : undefined;
}

function readTarget(
  target: TargetIn,
  place: string,
  guard: Pick<AddressGuard, 'assertAllowed'>,
  errors: FieldErrors,
): Target {
  if (target.type === 'EMAIL') {
    const emails = readRecipients(target, place, errors);
    return { key: targetKey('EMAIL', [...emails].sort().join(',')), type: 'EMAIL', emails };
  }
  const { webhook } = target;
  const wrong = urlError(webhook, guard);
  if (wrong !== undefined) errors[`${place}.webhook`] = withSecretInput(wrong);
  if (target.type === 'WEBHOOK') {
    const payloadVersion = target.payload_version ?? PAYLOAD_VERSION;
    return { key: targetKey('WEBHOOK', webhook), type: 'WEBHOOK', webhook, payloadVersion };
  }
  return {
    key: targetKey('CHAT', webhook),
    type: 'CHAT',
    webhook,
    ...(target.context && { context: target.context }),
  };
}

/** Targets with the same type and address have the same key, so a target keeps its health over saves of its action. */
const targetKey = (type: Target['type'], address: string): string => hash('sha256', `${type}|${address}`).slice(0, 32);

/**
 * Returns what is wrong with an address; undefined if nothing is. A valid address is stored and used as it was given.
 */
function urlError(text: string, guard: Pick<AddressGuard, 'assertAllowed'>): string | undefined {
  if (text.length > LONGEST_URL) return `URL should have at most ${LONGEST_URL} characters`;
  // Texts that a URL parser repairs silently are refused. A person who reads the text must see the same address.
  if (!/^https?:\/\/[^/?#\\]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return schemeOf(text) ?? 'Input should be a valid URL';
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return 'URL should not contain credentials';
  }
  try {
    guard.assertAllowed(url);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    return url.protocol === 'https:' ? 'URL should not lead to a private, local or reserved address' : HTTPS_ONLY;
  }
  return undefined;
}

const HTTPS_ONLY = "URL scheme should be 'https'";

/** The error for a text that begins with another scheme. */
const schemeOf = (text: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https?:/i.test(text) ? HTTPS_ONLY : undefined;

function readRecipients(target: TargetIn & { type: 'EMAIL' }, place: string, errors: FieldErrors): string[] {
  const field = target.emails == null && target.email != null ? 'email' : 'emails';
  const given = target[field] ?? undefined;
  const name = `${place}.${field}`;
  if (given === undefined) {
    errors[name] = withInput('Field required', undefined);
    return [];
  }
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
  last_success_at: z.number(),
  last_failure_at: z.number(),
  disabled: z
    .literal(true)
    .optional()
    .meta({ description: 'The target answered 410: nothing is sent there until the action is saved again' }),
};
/** One target of an answer: as it was stored, with its health. */
export const TargetOut = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CHAT'), webhook: z.string(), context: Context, ...health }).meta({ id: 'ChatTarget' }),
    z
      .object({ type: z.literal('WEBHOOK'), webhook: z.string(), payload_version: z.string(), ...health })
      .meta({ id: 'WebhookTarget' }),
    z.object({ type: z.literal('EMAIL'), emails: z.array(z.string()), ...health }).meta({ id: 'EmailTarget' }),
  ])
  .meta({ id: 'Target' });
export type TargetOut = z.input<typeof TargetOut>;

/** Describes a target for clients. @param known the target's health; undefined before its first attempt */
export function targetOut(
  target: Target,
  known: Pick<TargetHealth, 'lastSuccess' | 'lastFailure' | 'disabled'> | undefined,
): TargetOut {
  const times = {
    last_success_at: toSeconds(known?.lastSuccess ?? 0),
    last_failure_at: toSeconds(known?.lastFailure ?? 0),
    ...(known?.disabled && { disabled: true as const }),
  };
  const { type, webhook = '', payloadVersion = PAYLOAD_VERSION, emails = [], context = {} } = target;
  switch (type) {
    case 'CHAT':
      return { type, webhook, context, ...times };
    case 'WEBHOOK':
      return { type, webhook, payload_version: payloadVersion, ...times };
    case 'EMAIL':
      return { type, emails, ...times };
  }
}
