import * as z from 'zod';
import { StoredMicros } from '#shared/base/time.ts';

/** What is stored about recalls (rules/verified-evidence.md#recalls). It lies apart, because every function with verdicts reads recalls. */

export const MOST_RECALLS = 100;

/** What trust roots and signers have in common. A record is a copy of its newest version. */
export const Versioned = z.object({
  v: z.literal(1),
  id: z.string(),
  name: z.string(),
  /** From 1 without gaps. A write is conditional on it. */
  version: z.int(),
  description: z.string().nullable(),
  deleted: z.boolean(),
  createdAt: StoredMicros,
  /** Name of the creator. */
  createdBy: z.string(),
  /** When this version was saved, and by whom. */
  changedAt: StoredMicros,
  changedBy: z.string(),
});
/** Recalls have a reason in place of a description. */
export type Versioned = Omit<z.infer<typeof Versioned>, 'description'>;

/** What evidence is recalled by (rules/verified-evidence.md#recalls). */
export const RecallTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('signer'), signer: z.string() }),
  /** The claim `run_invocation_uri`. */
  z.object({ kind: z.literal('run'), run: z.string() }),
  /** The builder that a provenance names. */
  z.object({ kind: z.literal('builder'), builder: z.string() }),
  z.object({ kind: z.literal('root'), name: z.string(), version: z.int().nullable() }),
  /** SHA-256 of a public key. */
  z.object({ kind: z.literal('key'), digest: z.string() }),
  /** SHA-256 of the texts of bundles, sorted. */
  z.object({ kind: z.literal('bundles'), digests: z.array(z.string()) }),
]);
export type RecallTarget = z.infer<typeof RecallTarget>;

/** Says which signatures are not to be trusted. */
export const RecallRecord = Versioned.omit({ description: true }).extend({
  target: RecallTarget,
  /** The first instant of signatures that are recalled; null = since ever. */
  from: StoredMicros.nullable(),
  /** The first instant after them; null = for ever. */
  until: StoredMicros.nullable(),
  reason: z.string(),
});
export type RecallRecord = z.infer<typeof RecallRecord>;
