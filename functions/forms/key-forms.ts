import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { IssuedKey } from '#shared/organizations/keys/issue-key.ts';
import type { UsedKey } from '#shared/organizations/keys/read-keys.ts';
import type { RevokedKeys } from '#shared/organizations/keys/revoke-key.ts';
import type { RotatedKey } from '#shared/organizations/keys/rotate-key.ts';

/** Requests and answers about API keys, the same for service accounts and users (rules/organizations.md#key-endpoints). */

/** Latest expiry of a key in seconds since the epoch: the year 2100. */
export const LATEST_EXPIRY = 4_102_444_800;
const MOST_GRACE_HOURS = 720;
const DEFAULT_GRACE_HOURS = 24;
const MICROS_PER_HOUR = 3600 * 1_000_000;

const expiresAt = z.int().min(0).max(LATEST_EXPIRY).nullish();

export const KeyRequest = z
  .object({
    description: z.string().min(1).max(256).describe('A text for people'),
    expires_at: expiresAt.meta({
      description:
        'Seconds since the epoch, not in the past; 0, null or absent = never. After a sign-in: at most 90 days ahead; null or absent = that end',
    }),
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
        description: `Hours during which the present secret still works; default ${DEFAULT_GRACE_HOURS}`,
      }),
    expires_at: expiresAt.meta({
      description:
        'Seconds since the epoch, not in the past; 0 = never; null or absent = unchanged. A key that comes from a sign-in keeps its latest end',
    }),
  })
  .meta({ id: 'ApiKeyRotationRequest' });

export const KeyOut = z
  .object({
    id: z.string().describe('Id of the key'),
    description: z.string().describe('A text for people'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    expires_at: z.number().meta({ description: '0 = never' }),
    last_used_at: z.number().meta({ description: 'Seconds since the epoch, up to an hour late; 0 = not used yet' }),
  })
  .meta({ id: 'ApiKey' });
export type KeyOut = z.infer<typeof KeyOut>;

export const IssuedKeyOut = z
  .object({
    id: z.string().describe('Id of the key'),
    key: z.string().meta({
      description:
        'The secret. No other answer contains it. A repeated request with the same `Idempotency-Key` gets `""`, because the secret is not stored.',
    }),
    description: z.string().describe('A text for people'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    expires_at: z.number().meta({ description: '0 = never' }),
  })
  .meta({ id: 'IssuedApiKey' });
export type IssuedKeyOut = z.infer<typeof IssuedKeyOut>;

export const RotatedKeyOut = IssuedKeyOut.extend({
  id: z.string().describe('Id of the key; it stays the same'),
  grace_period_expires_at: z.number().meta({ description: 'End of the previous secret, in seconds since the epoch' }),
}).meta({ id: 'RotatedApiKey' });
export type RotatedKeyOut = z.infer<typeof RotatedKeyOut>;

export const keyOut = ({ current, lastUsedAt }: UsedKey): KeyOut => ({
  id: current.id,
  description: current.description,
  created_at: toSeconds(current.createdAt),
  expires_at: toSeconds(current.expiresAt),
  last_used_at: toSeconds(lastUsedAt),
});

const issuedKeyOut = ({ key: { id, description, createdAt, expiresAt }, secret }: IssuedKey): IssuedKeyOut => ({
  id,
  key: secret,
  description,
  created_at: toSeconds(createdAt),
  expires_at: toSeconds(expiresAt),
});

/** Answers an issued key. */
export const keyIssued = (issued: IssuedKey) => ({
  status: 201,
  body: issuedKeyOut(issued),
  made: { key_id: issued.key.id },
});

/** Answers a rotated key. */
export const keyRotated = (rotated: RotatedKey) => ({
  status: 201,
  body: { ...issuedKeyOut(rotated), grace_period_expires_at: toSeconds(rotated.graceEndsAt) } satisfies RotatedKeyOut,
  made: { key_id: rotated.key.id },
  distrust: { keys: rotated.changed },
});

/** Answers the revocation of a key. */
export const keyRevoked = ({ ended }: RevokedKeys) => ({
  status: 200,
  body: 'revoked' as const,
  distrust: { keys: ended },
});

/** Returns the rotation that a request asks for. */
export const rotationOf = ({ grace_period_hours: hours, expires_at: end }: z.output<typeof RotationRequest>) => ({
  grace: (hours ?? DEFAULT_GRACE_HOURS) * MICROS_PER_HOUR,
  end,
});
