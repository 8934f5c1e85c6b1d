import * as z from 'zod';
import { PolicyId } from '#shared/base/ids.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';

export const PolicyHead = z.object({
  id: PolicyId,
  name: z.string(),
  description: z.string(),
  created: z.number(),
  by: z.string(),
  /** Number and SHA-256 (hex) of the newest version's text. */
  version: z.number(),
  digest: z.string(),
  /** Counts the changes: writers state the one they saw. */
  rev: z.number(),
});
export type PolicyHead = z.infer<typeof PolicyHead>;

export const PolicyVersionItem = z.object({
  sk: z.string(),
  /** The text as it was given. */
  body: StoredBody,
  comment: z.string(),
  at: z.number(),
  by: z.string(),
  /** Controls that it names. */
  controls: z.array(z.string()),
});
export type PolicyVersionItem = z.infer<typeof PolicyVersionItem>;
