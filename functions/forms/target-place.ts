import * as z from 'zod';
import { TARGET_TYPES, type Target } from '#shared/notifications/rules/records.ts';

/** Where an event is sent, without what of an address can be a secret. */
export const TargetPlace = z.object({
  type: z.enum(TARGET_TYPES).describe('Type of the target'),
  host: z.string().nullable().meta({
    description: 'Host of the address, without the path, which can hold a secret; null for mail',
  }),
});

export const targetPlace = ({ type, webhook }: Target): z.input<typeof TargetPlace> => ({
  type,
  host: webhook === undefined ? null : new URL(webhook).host,
});
