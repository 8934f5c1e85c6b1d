import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { SigningSecrets } from '#shared/notifications/signing-secret.ts';

/** The secrets that sign an action's webhooks (`rules/notifications.md#signing-secret`). */
export const SecretOut = z
  .object({
    secret: z.string(),
    previous_secret: z.string().nullable().meta({ description: 'Signs too, until it expires' }),
    previous_expires_at: z.number().meta({ description: '0 where there is no previous secret' }),
  })
  .meta({ id: 'SigningSecret' });

export const secretOut = ({ secret, previous }: SigningSecrets): z.input<typeof SecretOut> => ({
  secret,
  previous_secret: previous?.secret ?? null,
  previous_expires_at: previous ? toSeconds(previous.until) : 0,
});
