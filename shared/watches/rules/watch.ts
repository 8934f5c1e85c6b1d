import * as z from 'zod';
import { StoredMicros } from '#shared/base/time.ts';
import { nameMatching } from '#shared/evidence/rules/shared-fields.ts';

/** Name of a watch, as names of expectations are (rules/requests.md#names). */
export const WatchName = nameMatching(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`);

/** Every SBOM and every start asks each watch of the organization, so there are not many (rules/watches.md#limits). */
export const MOST_WATCHES = 100;

/** A watch as it is stored (rules/watches.md#watch). */
export const Watch = z.object({
  v: z.literal(1),
  id: z.string(),
  name: z.string(),
  /** Counts the changes from 1. A write is conditional on it. */
  rev: z.int(),
  /** What its question is about. Items with a kind reach the relay, which has a new watch asked. */
  kind: z.literal('package'),
  /** The question as it was sent first. It never changes. */
  purl: z.string(),
  versions: z.string().nullable(),
  /** Name of the vulnerability; null = nobody named one. */
  vulnerability: z.string().nullable(),
  description: z.string().nullable(),
  /** Since when the organization knows, as a person said it; null = nobody said it. */
  known: z
    .object({
      at: StoredMicros,
      note: z.string().nullable(),
      by: z.string(),
      saidAt: StoredMicros,
    })
    .nullable(),
  createdAt: StoredMicros,
  createdBy: z.string(),
  changedAt: StoredMicros,
  changedBy: z.string(),
});
export type Watch = z.infer<typeof Watch>;
