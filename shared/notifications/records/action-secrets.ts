import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { actionSecretKey } from './keys.ts';

/** How long the previous secret signs beside the current one, in microseconds (`rules/notifications.md#rotation`). */
export const SECRET_GRACE: Duration = 24 * 3600 * 1_000_000;

const SecretItem = z.object({
  secret: z.string(),
  previous: z.string().nullable(),
  /** Until when the previous secret signs too. */
  previousUntil: StoredMicros,
  /** Counts the changes. A write is conditional on the value that the writer read. */
  rev: z.int(),
});
type SecretItem = z.infer<typeof SecretItem>;

/** The secrets that sign an action's webhooks (`rules/notifications.md#signing-secret`). */
export interface SigningSecrets {
  secret: string;
  /** The previous secret, while it is still valid. */
  previous: { secret: string; until: Micros } | null;
}

const readItem = (table: Table, org: OrganizationId, action: number) =>
  readRecord(table, actionSecretKey(org, action), SecretItem);

/** Reads the secrets of an action that are valid at `now`; null if the action does not exist or is deleted. */
export async function readSecrets(
  table: Table,
  org: OrganizationId,
  action: number,
  now: Micros,
): Promise<SigningSecrets | null> {
  const item = await readItem(table, org, action);
  return item ? validAt(item, now) : null;
}

const validAt = ({ secret, previous, previousUntil }: SecretItem, now: Micros): SigningSecrets => ({
  secret,
  previous: previous !== null && previousUntil > now ? { secret: previous, until: previousUntil } : null,
});

/** Lists the secrets that sign a message, the current one first. */
export const signingSecrets = ({ secret, previous }: SigningSecrets): string[] =>
  previous ? [secret, previous.secret] : [secret];

/** The write that stores the secret of a new action. */
export const newSecretWrite = (org: OrganizationId, action: number, secret: string): Write =>
  putIfAbsent({ ...actionSecretKey(org, action), v: 1, secret, previous: null, previousUntil: 0, rev: 1 });

/** The write that removes the secrets of a deleted action. */
export const secretRemoval = (org: OrganizationId, action: number): Write => ({ remove: actionSecretKey(org, action) });

/**
 * Prepares the change to another secret. The current secret signs too for another {@link SECRET_GRACE}.
 * @returns null if the action has no secrets because it was deleted; no writes if `secret` is the current secret
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
    previousUntil: plus(now, SECRET_GRACE),
    rev: before.rev + 1,
  };
  const write: Write<'again'> = {
    put: { ...actionSecretKey(org, action), v: 1, ...after },
    ...onlyIf(unchanged(before, 'rev')),
    refused: again,
  };
  return { secrets: validAt(after, now), writes: [write] };
}
