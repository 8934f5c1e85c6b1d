import * as z from 'zod';
import { PolicyId } from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyPolicyName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { StoredBody } from '#shared/bodies/bodies.ts';

export const PolicyHead = z.object({
  id: PolicyId,
  name: AnyPolicyName,
  description: z.string(),
  created: StoredMicros,
  by: z.string(),
  /** Number and SHA-256 (hex) of the newest version's text. */
  version: z.number(),
  digest: z.string(),
  /** `max_silence` of the newest version in microseconds; absent if it has none (`rules/policies.md#max-silence`). */
  silence: z.int().optional(),
  /** Counts the changes. A write is conditional on the value that the writer read. */
  rev: z.number(),
});
export type PolicyHead = z.infer<typeof PolicyHead>;

/** The attachment of a policy to an environment, with the environment's present name. */
export const AttachmentItem = z.object({ name: AnyEnvironmentName });

export const PolicyVersionItem = z.object({
  sk: z.string(),
  /** The text as it was uploaded. */
  body: StoredBody,
  comment: z.string(),
  at: StoredMicros,
  by: z.string(),
  /** Identifiers of the controls that the version names. */
  controls: z.array(z.string()),
});
export type PolicyVersionItem = z.infer<typeof PolicyVersionItem>;

/** How exports show policies and their versions. */
export const SHOWN_POLICY = { item: 'policy', schema: PolicyHead };
export const SHOWN_VERSION = { item: 'version', schema: PolicyVersionItem };
