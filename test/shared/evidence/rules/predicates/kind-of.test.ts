import { describe, expect, test } from 'vitest';
import { kindOf, STATEMENT_KINDS, type StatementKind } from '#shared/evidence/rules/predicates/kind-of.ts';

/** rules/verified-evidence.md#kinds-of-statements */

/** Predicate types as their writers spell them. */
const TYPES: Record<StatementKind, readonly string[]> = {
  provenance: ['https://slsa.dev/provenance/v0.2', 'https://slsa.dev/provenance/v1'],
  vsa: ['https://slsa.dev/verification_summary/v0.2', 'https://slsa.dev/verification_summary/v1'],
  sbom: [
    'https://spdx.dev/Document',
    'https://spdx.dev/Document/v2.3',
    'https://cyclonedx.org/bom',
    'https://cyclonedx.org/bom/v1.6',
  ],
  vulns: [
    'https://cosign.sigstore.dev/attestation/vuln/v1',
    'https://in-toto.io/attestation/vulns/v0.1',
    'https://in-toto.io/attestation/vulns/v0.2',
  ],
  'test-result': ['https://in-toto.io/attestation/test-result/v0.1'],
  vex: ['https://openvex.dev/ns', 'https://openvex.dev/ns/v0.2.0'],
  sarif: [
    'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    'https://json.schemastore.org/sarif-2.1.0.json',
    'https://witness.dev/attestations/sarif/v0.1',
  ],
  release: [
    'https://in-toto.io/attestation/release/v0.1',
    'https://github.com/npm/attestation/tree/main/specs/publish/v0.1',
  ],
  statement: ['https://acme.example/review/v1', 'constructor', '__proto__', 'x'.repeat(100_000)],
};

describe('the kind of a statement', () => {
  test.each(STATEMENT_KINDS.flatMap((kind) => TYPES[kind].map((type) => [kind, type] as const)))(
    'is %s for the predicate type %.120s',
    (kind, type) => {
      expect(kindOf(type)).toBe(kind);
    },
  );

  test.each([
    ['a later version', 'https://slsa.dev/provenance/v2'],
    ['an earlier version', 'https://slsa.dev/provenance/v0.1'],
    ['another scheme', 'http://slsa.dev/provenance/v1'],
    ['other letters', 'https://SLSA.dev/provenance/v1'],
    ['a host that only begins alike', 'https://slsa.dev.acme.example/provenance/v1'],
    ['text before the type', 'see https://slsa.dev/provenance/v1'],
    ['a line after the type', 'https://slsa.dev/provenance/v1\n'],
    ['a slash after the type', 'https://slsa.dev/provenance/v1/'],
    ['a version that is a word', 'https://cyclonedx.org/bom/latest'],
  ])('is statement for %s', (_, type) => {
    expect(kindOf(type)).toBe('statement');
  });
});
