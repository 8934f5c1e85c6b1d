import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import type { Micros } from '#shared/base/time.ts';

/** What a statement says: an in-toto statement with a verification summary (rules/log.md#verification-summaries). */

/** Something that a statement names: its address, and its SHA-256 in hex if it has one. */
export interface Resource {
  uri: string;
  sha256?: string;
}

/** What is known of who made an attestation that a verdict was computed from. */
export interface StatedEvidence {
  /** Name and type of the slot. */
  name: string;
  type: string;
  /** Id of the record. */
  attestation: string;
  grade: string;
  signer?: { name: string; version: number } | undefined;
}

export interface Summary {
  kind: 'trail' | 'artifact' | 'snapshot' | 'evaluation';
  /** `name` is what people call the subject. There is at least one. */
  subjects: readonly { name: string; sha256: string }[];
  uri: string;
  /** Whether it is compliant. Unknown and incomplete are not. */
  passed: boolean;
  policy: Resource;
  /** All policies, where there can be several. */
  policies?: readonly Resource[];
  /** The links of the log that the verdict was computed from. */
  inputs: readonly Resource[];
  /** Grade and signer of each attestation, where the verdict was computed from attestations. */
  evidence?: readonly StatedEvidence[];
  /** When the verdict came into force. */
  at: Micros;
  /** Present if the subjects are spread over several statements. */
  part?: { piece: number; pieces: number };
}

/** Subjects of one statement. Verifiers of sigstore accept 1,024. */
const PIECE = 1000;

export const piecesOf = (subjects: Summary['subjects']): number => Math.ceil(subjects.length / PIECE);

/** @param piece from 1 on */
export const subjectsOf = (subjects: Summary['subjects'], piece: number): Summary['subjects'] =>
  subjects.slice((piece - 1) * PIECE, piece * PIECE);

const LEVELS = {
  trail: 'EVIDENCE_TRAIL_COMPLIANT',
  artifact: 'EVIDENCE_ARTIFACT_COMPLIANT',
  snapshot: 'EVIDENCE_SNAPSHOT_COMPLIANT',
  evaluation: 'EVIDENCE_EVALUATION_ALLOWED',
} as const satisfies Record<Summary['kind'], string>;

export interface Verifier {
  /** Address of the service: `https://host`. */
  host: string;
  /** Random, in hex. It makes the digest of a statement one that nobody can guess from the content. */
  nonce: string;
}

/** Returns the text of the statement. Fields of our own have addresses as names, as the format wants. */
export function statementText(summary: Summary, { host, nonce }: Verifier): string {
  const { kind, subjects, uri, passed, policy, policies, inputs, evidence, at, part } = summary;
  return canonicalJson({
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/verification_summary/v1',
    predicate: {
      verifier: { id: `${host}/verifier/v1` },
      timeVerified: new Date(Math.floor(at / 1000)).toISOString(),
      resourceUri: uri,
      policy: descriptor(policy),
      inputAttestations: inputs.map(descriptor),
      verificationResult: passed ? 'PASSED' : 'FAILED',
      verifiedLevels: [passed ? LEVELS[kind] : 'FAILED'],
      [`${host}/nonce`]: nonce,
      ...(evidence && { [`${host}/evidence`]: evidence }),
      ...(policies && { [`${host}/policies`]: policies.map(descriptor) }),
      ...(part && { [`${host}/part`]: part }),
    },
  });
}

export const descriptor = ({ uri, sha256 }: Resource) => ({ uri, ...(sha256 !== undefined && { digest: { sha256 } }) });
