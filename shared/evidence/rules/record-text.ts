import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';

/**
 * The text of an attestation or of an artifact report that the log proves for good (rules/attestations.md#what-the-log-proves). The
 * service makes it from the stored record, the verifier from the line of an export.
 */

/** Facts that the service added and that quote what was reported. An erasure removes them (rules/erasure.md#erased-attestation). */
const FINDINGS = ['rule_results', 'sbom', 'verification'];

/** Bytes in the service, hex in an export. */
type Digest = Uint8Array | string;

interface ProvedRecord {
  files?: readonly { filename: string; size: number; type: string; commitment: Digest }[];
  derived?: Readonly<Record<string, unknown>>;
  [member: string]: unknown;
}

/** Commitments that the text repeats, so that a reader of the record alone can compare what they cover. */
interface Repeated {
  facts: Digest;
  findings?: Digest | undefined;
}

/**
 * Returns the text under the commitment `record`: the canonical JSON of the record without what an erasure removes.
 *
 * @param record everything that a line of an export shows of the record, without salts, commitments and facts
 */
export function recordText({ files, derived, ...rest }: ProvedRecord, { facts, findings }: Repeated): string {
  return canonicalJson({
    ...rest,
    facts: hexOf(facts),
    ...(findings && { findings: hexOf(findings) }),
    ...(files && {
      files: files.map(({ filename, size, type, commitment }) => ({
        filename,
        size,
        type,
        commitment: hexOf(commitment),
      })),
    }),
    ...(derived && { derived: withoutFindings(derived) }),
  });
}

/** Returns the text under the commitment `findings`: what rules found in the report; undefined if they found nothing. */
export function findingsText(derived: Readonly<Record<string, unknown>>): string | undefined {
  const findings = chosen(derived, (name) => FINDINGS.includes(name));
  return Object.keys(findings).length === 0 ? undefined : canonicalJson(findings);
}

/** Returns what an erasure leaves of the facts that the service added. */
export const withoutFindings = (derived: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  chosen(derived, (name) => !FINDINGS.includes(name));

const chosen = (from: Readonly<Record<string, unknown>>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(from).filter(([name, value]) => value !== undefined && isWanted(name)));

const hexOf = (digest: Digest): string => (typeof digest === 'string' ? digest : Buffer.from(digest).toString('hex'));
