import * as z from 'zod';

/**
 * What a change left behind of a record that exports show (rules/organizations.md#covers). An entry of the audit log
 * commits to it, so nobody can change, remove or add the line of the record unnoticed.
 */
export const Cover = z.object({
  /** Family and kind of the line: `policies/version`. */
  family: z.string(),
  /** Names the record among the lines of its kind. */
  key: z.string(),
  /** Digest of the line in hex; null if the record was removed. */
  digest: z.string().nullable(),
  /** Digest of the line before the change; absent if the record is new. */
  replaces: z.string().optional(),
});
export type Cover = z.infer<typeof Cover>;

/** Names of the commitments that an erasure opened last, by the SHA-256 of their entries of the log in hex. */
export const Removed = z.record(z.string(), z.array(z.string()));
export type Removed = z.infer<typeof Removed>;
