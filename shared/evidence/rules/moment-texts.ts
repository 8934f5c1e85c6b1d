import * as z from 'zod';
import { PrincipalId } from '#shared/base/ids.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { originOf, ProvenOrigin, type VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { SlotChange } from './trail-state.ts';

/** The two texts of a moment (rules/trails.md#contents-of-a-moment). The service and the verifier read them with these schemas. */

const Change = z.custom<SlotChange>((value) => typeof value === 'object' && value !== null && 'kind' in value);

/** What the moment changed, and everything that a verdict needs. No erasure removes this text. */
export const LastingMoment = z.strictObject({
  changes: z.array(Change),
  template: z.string().nullable(),
  /** Absent in the text if the trail has no template of its own: a moment must stay below 1 KB, which a write pays for. */
  ownTemplate: z.string().nullable().default(null),
  word: z.string(),
  /** Number of attestations in the trail up to this moment. */
  attestations: z.int(),
  /** Names of flow and trail at that time. */
  names: z.strictObject({ flow: z.string(), trail: z.string() }),
  by: z.strictObject({ id: PrincipalId, identity: ProvenOrigin.optional() }),
  /** SHA-256 of the canonical JSON of the repository that the trail keeps from this moment on; absent without one. */
  repoDigest: z.string().optional(),
});
export type LastingMoment = z.infer<typeof LastingMoment>;

/** Names of people and unsalted digests of texts that an erasure can remove. The same erasure removes what names the text here. */
export const MomentDetails = z.strictObject({
  by: z.strictObject({ name: z.string(), actor: z.string().optional() }),
  /** Digest of the trail's own fields after this moment; absent in the text if there are none. */
  fields: z.string().nullable().default(null),
  /** Digest of the commit that the report named. */
  commit: z.string().optional(),
  /** Inner id of the repository that the report named. */
  repo: z.string().optional(),
  show: z.record(z.string(), z.unknown()).optional(),
});
export type MomentDetails = z.infer<typeof MomentDetails>;

/** Both texts together, as readers use them. */
export interface MomentContent extends Omit<LastingMoment, 'by' | 'repoDigest'>, Omit<MomentDetails, 'by'> {
  by: { id: PrincipalId; name: string; identity?: VerifiedIdentity | undefined };
}

/** Names a trail for readers. */
export const trailName = ({ flow, trail }: LastingMoment['names']): string => `trail ${trail} of flow ${flow}`;

export const lastingText = ({ ownTemplate, ...lasting }: LastingMoment): string =>
  canonicalJson({ ...lasting, ownTemplate: ownTemplate ?? undefined });
export const detailsText = ({ fields, ...details }: MomentDetails): string =>
  canonicalJson({ ...details, fields: fields ?? undefined });

/** Divides the author of a moment: an erasure removes the names of people, verdicts need the rest. */
export function divideAuthor({ id, name, identity }: MomentContent['by']): {
  lasting: LastingMoment['by'];
  details: MomentDetails['by'];
} {
  return {
    lasting: { id, ...(identity && { identity: originOf(identity) }) },
    details: { name, ...(identity?.actor !== undefined && { actor: identity.actor }) },
  };
}

/** Returns the details within the content of a moment, for an erasure that removes a part of them. */
export function detailsOf({ by, fields, commit, repo, show }: MomentContent): MomentDetails {
  return {
    by: divideAuthor(by).details,
    fields,
    ...(commit !== undefined && { commit }),
    ...(repo !== undefined && { repo }),
    ...(show && { show }),
  };
}

/** Puts the texts of a moment together. */
export function momentContent(lasting: LastingMoment, details: MomentDetails): MomentContent {
  const { by, repoDigest: _, ...changed } = lasting;
  const { by: person, ...named } = details;
  const { name, actor } = person;
  const identity = by.identity && { ...by.identity, ...(actor !== undefined && { actor }) };
  return { ...changed, ...named, by: { id: by.id, name, ...(identity && { identity }) } };
}
