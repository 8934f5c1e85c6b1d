import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Services } from '#shared/http/services.ts';
import { readSecrets, type SigningSecrets } from '#shared/notifications/records/action-secrets.ts';
import { actionNotFound } from '#shared/notifications/rules/sentences.ts';
import { actionOrRefuse } from './action-params.ts';

/** The secrets that sign an action's webhooks (`rules/notifications.md#signing-secret`). */
export const SecretOut = z
  .object({
    secret: z.string(),
    previous_secret: z.string().nullable().meta({ description: 'Signs too, until it expires' }),
    previous_expires_at: z.number().meta({ description: '0 where there is no previous secret' }),
  })
  .meta({ id: 'SigningSecret' });
export type SecretOut = z.input<typeof SecretOut>;

export const secretOut = ({ secret, previous }: SigningSecrets): SecretOut => ({
  secret,
  previous_secret: previous?.secret ?? null,
  previous_expires_at: previous ? toSeconds(previous.until) : 0,
});

/** Reads the secrets of an action as they are now. @throws ServiceError 404 if no action has the number */
export async function secretOrRefuse(
  { table, clock }: Pick<Services, 'table' | 'clock'>,
  org: { id: OrganizationId },
  action: number,
): Promise<SecretOut> {
  const { number } = await actionOrRefuse(table, org, action);
  const secrets = await readSecrets(table, org.id, number, clock.now());
  // The action was deleted between the two reads.
  if (!secrets) throw actionNotFound();
  return secretOut(secrets);
}
