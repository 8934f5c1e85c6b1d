import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { actionSecretKey } from './keys.ts';

/** How long the secret before the present one still signs, in microseconds. */
export const SECRET_GRACE: Micros = 24 * 3600 * 1_000_000;

const SecretItem = z.object({
  secret: z.string(),
  previous: z.string().nullable(),
  /** Until when the previous one signs too. */
  previousUntil: z.number(),
  /** Counts the changes: writers state the one they saw. */
  rev: z.int(),
});
type SecretItem = z.infer<typeof SecretItem>;

/** The secrets that an action's webhooks are signed with (design §6). */
export interface SigningSecrets {
  secret: string;
  /** The one before, while it is still valid. */
  previous: { secret: string; until: Micros } | null;
}

async function readItem(table: Table, org: OrganizationId, action: number): Promise<SecretItem | null> {
  const item = await table.get(actionSecretKey(org, action));
  return item ? SecretItem.parse(item) : null;
}

/** @returns null where the action never was or is deleted */
export async function readSecrets(
  table: Table,
  org: OrganizationId,
  action: number,
  now: Micros,
): Promise<SigningSecrets | null> {
  const item = await readItem(table, org, action);
  return item && validAt(item, now);
}

const validAt = ({ secret, previous, previousUntil }: SecretItem, now: Micros): SigningSecrets => ({
  secret,
  previous: previous !== null && previousUntil > now ? { secret: previous, until: previousUntil } : null,
});

/** All secrets that a message is signed with now, the present one first. */
export const signingSecrets = ({ secret, previous }: SigningSecrets): string[] =>
  previous ? [secret, previous.secret] : [secret];

/** The write that gives a new action its secret. */
export const newSecretWrite = (org: OrganizationId, action: number, secret: string): Write =>
  putIfAbsent({ ...actionSecretKey(org, action), v: 1, secret, previous: null, previousUntil: 0, rev: 1 });

export const secretRemoval = (org: OrganizationId, action: number): Write => ({ remove: actionSecretKey(org, action) });

/**
 * Prepares the change to another secret; the present one goes on signing for {@link SECRET_GRACE}.
 * @returns null where the action has no secrets: it is gone; no writes where this is the present secret already
 */
export async function prepareSecret(
  table: Table,
  org: OrganizationId,
  action: number,
  secret: string,
  now: Micros,
): Promise<{ secrets: SigningSecrets; writes: Write<'again'>[] } | null> {
  const before = await readItem(table, org, action);
  if (!before) return null;
  if (before.secret === secret) return { secrets: validAt(before, now), writes: [] };
  const after: SecretItem = {
    secret,
    previous: before.secret,
    previousUntil: now + SECRET_GRACE,
    rev: before.rev + 1,
  };
  const write: Write<'again'> = {
    put: { ...actionSecretKey(org, action), v: 1, ...after },
    ConditionExpression: '#rev = :rev',
    ExpressionAttributeNames: { '#rev': 'rev' },
    ExpressionAttributeValues: { ':rev': before.rev },
    refused: again,
  };
  return { secrets: validAt(after, now), writes: [write] };
}
