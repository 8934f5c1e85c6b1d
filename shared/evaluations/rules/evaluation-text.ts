import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { originOf, type VerifiedIdentity } from '#shared/callers/verified-identity.ts';

/** What the texts of an evaluation are made of, as records and lines of exports have it. */
export interface EvaluationFacts {
  status: string;
  requested: number;
  recorded: number;
  deadline: number;
  by: { id: string; name: string; kind: string; keyId: string | null; identity?: VerifiedIdentity | undefined };
  org: string;
  host: string;
  decision: unknown;
  decisionId: string | null;
  allow: boolean | null;
  error: { kind: string; message: string } | null;
  proof: { policy: string; engine: string; version: string; language: string | null } | null;
}

/**
 * The text under the commitment `evaluation` (rules/evaluations.md#entry-of-the-log), as RFC 8785 JSON. It has everything that
 * an erasure leaves. The digests of parameters and input, the message of an error and the name of a person have commitments
 * of their own.
 */
export function evaluationText(facts: EvaluationFacts): string {
  const { status, requested, recorded, deadline, org, host, decision, decisionId, allow, error, proof } = facts;
  const { identity, ...by } = facts.by;
  return canonicalJson({
    status,
    requested,
    recorded,
    deadline,
    org,
    host,
    decision,
    decisionId,
    allow,
    error: error && { kind: error.kind },
    proof: proof && { policy: proof.policy, engine: proof.engine, version: proof.version, language: proof.language },
    by: { ...by, ...(identity && { identity: originOf(identity) }) },
  });
}

/** The text under the commitment `details`: the name of the person who asked; null if no issuer proved one. */
export const detailsText = ({ by }: Pick<EvaluationFacts, 'by'>): string | null =>
  by.identity?.actor === undefined ? null : canonicalJson({ actor: by.identity.actor });
