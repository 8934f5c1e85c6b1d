import * as z from 'zod';
import { StoredMicros } from '#shared/base/time.ts';

/** What is stored about trust roots and signers (rules/verified-evidence.md#signers). */

/** Limits (rules/verified-evidence.md#limits). Deleted names count, because their versions stay. */
export const MOST_SIGNERS = 100;
export const MOST_ROOTS = 20;
export const MOST_RECALLS = 100;
/** The longest stored text of a trust root, in UTF-16 units, so that an item and a page of a list stay small. */
export const LONGEST_STORED_ROOT = 32 * 1024;
export const MOST_SUBJECTS = 20;

/** Name of the root that every organization has. Nobody can save another one under this name. */
export const PUBLIC_ROOT = 'sigstore-public';

export const SIGNER_PATTERN = /^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/;
export const LONGEST_SIGNER = 64;

export const SignerName = z.string().min(1).max(LONGEST_SIGNER).regex(SIGNER_PATTERN);

/** What trust roots and signers have in common. A record is a copy of its newest version. */
const Versioned = z.object({
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

export const ROOT_KINDS = ['sigstore', 'public-key'] as const;

export const TrustRootRecord = Versioned.extend({
  kind: z.enum(ROOT_KINDS),
  /** `trusted_root.json`, or a public key as PEM. */
  text: z.string(),
  /** SHA-256 of the text. */
  digest: z.string(),
});
export type TrustRootRecord = z.infer<typeof TrustRootRecord>;

export const SignerRecord = Versioned.extend({
  /** Name of a trust root. */
  root: z.string(),
  /** Null with a public key, which names nobody. */
  issuer: z.string().nullable(),
  /** Patterns of which one has to match; empty = every subject that the claims match. */
  subjects: z.array(z.string()),
  /** Sorted by name. Of each claim one pattern has to match. */
  claims: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
});
export type SignerRecord = z.infer<typeof SignerRecord>;

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

/** Says which signatures are not to be trusted. Verdicts do not go by it yet. */
export const RecallRecord = Versioned.omit({ description: true }).extend({
  target: RecallTarget,
  /** The first instant of signatures that are recalled; null = since ever. */
  from: StoredMicros.nullable(),
  /** The first instant after them; null = for ever. */
  until: StoredMicros.nullable(),
  reason: z.string(),
});
export type RecallRecord = z.infer<typeof RecallRecord>;
