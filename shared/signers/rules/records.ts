import * as z from 'zod';
import type { RefreshedRoot } from '#shared/signatures/public-root.ts';
import { Versioned } from './recall-records.ts';

/** What is stored about trust roots and signers (rules/verified-evidence.md#signers). */

/** Limits (rules/verified-evidence.md#limits). Deleted names count, because their versions stay. */
export const MOST_SIGNERS = 100;
export const MOST_ROOTS = 20;
/** The longest stored text of a trust root, in UTF-16 units, so that an item and a page of a list stay small. */
export const LONGEST_STORED_ROOT = 32 * 1024;
export const MOST_SUBJECTS = 20;

/** Name of the root that every organization has. Nobody can save another one under this name. */
export const PUBLIC_ROOT = 'sigstore-public';

export const SIGNER_PATTERN = /^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/;
export const LONGEST_SIGNER = 64;

export const SignerName = z.string().min(1).max(LONGEST_SIGNER).regex(SIGNER_PATTERN);

export const ROOT_KINDS = ['sigstore', 'public-key'] as const;

export const TrustRootRecord = Versioned.extend({
  kind: z.enum(ROOT_KINDS),
  /** `trusted_root.json`, or a public key as PEM. */
  text: z.string(),
  /** SHA-256 of the text. */
  digest: z.string(),
});
export type TrustRootRecord = z.infer<typeof TrustRootRecord>;

/** The public root of the last refresh (rules/verified-evidence.md#refresh). */
export const StoredRoot = z.object({ digest: z.string(), text: z.string() }) satisfies z.ZodType<RefreshedRoot>;

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
