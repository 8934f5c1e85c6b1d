import type { Cover, Removed } from '#shared/base/proofs/covers.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import type { VerifiedIdentity } from '#shared/callers/verified-identity.ts';

/** The part of an audit entry that no erasure removes. */
interface LastingFacts {
  actor: { kind: string; id: string; name: string; keyId: string | null; identity?: VerifiedIdentity | undefined };
  subject: { type: string; id: string | null; name: string };
  covers?: readonly Cover[] | undefined;
  removed?: Removed | undefined;
}

/** The values of an audit entry. An erasure removes them. */
interface AuditedValues {
  before: unknown;
  after: unknown;
}

/**
 * Returns the text under the commitment `entry`, as RFC 8785 JSON: who changed what, which records of an export the change
 * left behind, and which texts it erased (rules/organizations.md#entry-of-the-log).
 */
export const entryText = ({ actor, subject, covers, removed }: LastingFacts): string =>
  canonicalJson({
    actor: { kind: actor.kind, id: actor.id, name: actor.name, key_id: actor.keyId, identity: actor.identity },
    subject,
    covers,
    removed,
  });

/** Returns the text under the commitment `values`, as RFC 8785 JSON (rules/organizations.md#entry-of-the-log). */
export const valuesText = ({ before, after }: AuditedValues): string => canonicalJson({ before, after });
