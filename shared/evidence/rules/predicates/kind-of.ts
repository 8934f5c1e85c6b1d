/** What a statement is, from its predicate type. Every other predicate is a `statement` (rules/verified-evidence.md#kinds-of-statements). */
export const STATEMENT_KINDS = [
  'provenance',
  'vsa',
  'sbom',
  'vulns',
  'test-result',
  'vex',
  'sarif',
  'release',
  'statement',
] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/** Whole predicate types. A version that is not in the list can mean something else, so it is an unknown type. */
const KINDS: readonly (readonly [kind: StatementKind, type: RegExp])[] = [
  ['provenance', /^https:\/\/slsa\.dev\/provenance\/v(?:0\.2|1)$/],
  ['vsa', /^https:\/\/slsa\.dev\/verification_summary\/v(?:0\.2|1)$/],
  // The document itself says its version. Writers put a version behind the type, or none.
  ['sbom', /^https:\/\/(?:spdx\.dev\/Document|cyclonedx\.org\/bom)(?:\/v\d+(?:\.\d+)*)?$/],
  ['vex', /^https:\/\/openvex\.dev\/ns(?:\/v\d+(?:\.\d+)*)?$/],
  ['vulns', /^https:\/\/cosign\.sigstore\.dev\/attestation\/vuln\/v1$/],
  ['vulns', /^https:\/\/in-toto\.io\/attestation\/vulns\/v0\.[12]$/],
  ['test-result', /^https:\/\/in-toto\.io\/attestation\/test-result\/v0\.1$/],
  [
    'sarif',
    /^https:\/\/(?:docs\.oasis-open\.org\/sarif\/sarif\/v2\.1\.0|json\.schemastore\.org\/sarif-2\.1\.0)(?:[./].*)?$/,
  ],
  ['sarif', /^https:\/\/witness\.dev\/attestations\/sarif\/v0\.1$/],
  ['release', /^https:\/\/in-toto\.io\/attestation\/release\/v0\.1$/],
  ['release', /^https:\/\/github\.com\/npm\/attestation\/tree\/main\/specs\/publish\/v0\.1$/],
];

/** Returns what a statement is. Case and every other character of the type count. */
export function kindOf(predicateType: string): StatementKind {
  return KINDS.find(([, type]) => type.test(predicateType))?.[0] ?? 'statement';
}
