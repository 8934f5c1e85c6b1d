import type { VerifiedIdentity } from '#shared/base/verified-identity.ts';
import { canonicalJson } from '#shared/evidence/rules/hash-chain.ts';

/** What an audit entry commits to. */
export interface AuditedFacts {
  actor: { kind: string; id: string; name: string; keyId: string | null; identity?: VerifiedIdentity | undefined };
  subject: { type: string; id: string | null; name: string };
  before: unknown;
  after: unknown;
}

/**
 * Returns the text under the commitment of an audit entry, as RFC 8785 JSON: who changed what, with the names of
 * `GET /audit/{org}` (rules/organizations.md#entry-of-the-log).
 */
export const auditText = ({ actor, subject, before, after }: AuditedFacts): string =>
  canonicalJson({
    actor: {
      kind: actor.kind,
      id: actor.id,
      name: actor.name,
      key_id: actor.keyId,
      // Absent without one, so that entries of earlier releases keep their text.
      ...(actor.identity && { identity: actor.identity }),
    },
    subject,
    before,
    after,
  });
