import * as z from 'zod';
import { fromSeconds, type Micros, toSeconds } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { ActiveKey, NewKey } from './records/api-keys.ts';

/** API keys on the wire, of service accounts and of users alike (wire admin §7.2, semantics §12.4). */

/** The latest expiry that keys have, in epoch seconds: the year 2100 (semantics §12.4). */
export const LATEST_EXPIRY = 4_102_444_800;
const MOST_GRACE_HOURS = 720;
const DEFAULT_GRACE_HOURS = 24;
const MICROS_PER_HOUR = 3600 * 1_000_000;

const expiresAt = z.int().min(0).max(LATEST_EXPIRY).nullish();

export const KeyRequest = z
  .object({
    description: z.string().min(1).max(256),
    expires_at: expiresAt.meta({ description: 'Seconds since the epoch, not in the past; 0 or nothing = never' }),
  })
  .meta({ id: 'ApiKeyRequest' });

export const RotationRequest = z
  .object({
    grace_period_hours: z
      .int()
      .min(1)
      .max(MOST_GRACE_HOURS)
      .nullish()
      .meta({
        description: `How long the present secret works on; ${DEFAULT_GRACE_HOURS} hours unless said`,
      }),
    expires_at: expiresAt.meta({
      description: 'Seconds since the epoch, not in the past; 0 = never, nothing = as before',
    }),
  })
  .meta({ id: 'ApiKeyRotationRequest' });

export const KeyOut = z
  .object({
    id: z.string(),
    description: z.string(),
    created_at: z.number(),
    expires_at: z.number().meta({ description: '0 = never' }),
    last_used_at: z.number().meta({ description: 'Up to an hour late; 0 = not yet' }),
  })
  .meta({ id: 'ApiKey' });
export type KeyOut = z.infer<typeof KeyOut>;

export const IssuedKeyOut = z
  .object({
    id: z.string(),
    key: z.string().meta({
      description:
        'The secret, shown this once. A repetition under the same `Idempotency-Key` is answered without it, as `""`, since it is stored nowhere.',
    }),
    description: z.string(),
    created_at: z.number(),
    expires_at: z.number().meta({ description: '0 = never' }),
  })
  .meta({ id: 'IssuedApiKey' });
export type IssuedKeyOut = z.infer<typeof IssuedKeyOut>;

export const RotatedKeyOut = IssuedKeyOut.extend({
  grace_period_expires_at: z.number().meta({ description: 'When the secret before ends' }),
}).meta({ id: 'RotatedApiKey' });
export type RotatedKeyOut = z.infer<typeof RotatedKeyOut>;

export const keyOut = ({ current, lastUsedAt }: ActiveKey): KeyOut => ({
  id: current.id,
  description: current.description,
  created_at: toSeconds(current.createdAt),
  expires_at: toSeconds(current.expiresAt),
  last_used_at: toSeconds(lastUsedAt),
});

export const issuedKeyOut = ({ id, description, createdAt, expiresAt }: NewKey, key: string): IssuedKeyOut => ({
  ...{ id, key, description, created_at: toSeconds(createdAt), expires_at: toSeconds(expiresAt) },
});

/**
 * @param given seconds since the epoch; nothing and 0 are never
 * @returns microseconds; 0 = never
 * @throws ApiError 400 `errors.expires_at` for an instant that is over
 */
export function expiryOrRefuse(given: number | null | undefined, now: Micros): Micros {
  const at = fromSeconds(given ?? 0);
  if (at !== 0 && at <= now) throw invalidField('expires_at', 'Input should not be in the past', given);
  return at;
}

/** In microseconds. */
export const graceOf = (hours: number | null | undefined): Micros => (hours ?? DEFAULT_GRACE_HOURS) * MICROS_PER_HOUR;
