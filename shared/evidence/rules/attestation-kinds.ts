import { customKind } from './kinds/custom.ts';
import { decisionKind } from './kinds/decision.ts';
import { genericKind } from './kinds/generic.ts';
import { issueTrackerKind } from './kinds/issue-tracker.ts';
import { junitKind } from './kinds/junit.ts';
import type { Evidence } from './kinds/kind.ts';
import { overrideKind } from './kinds/override.ts';
import { pullRequestKind } from './kinds/pull-request.ts';
import { sbomKind } from './kinds/sbom.ts';
import { snykKind } from './kinds/snyk.ts';
import { sonarKind } from './kinds/sonar.ts';
import { STATEMENT_KINDS } from './predicates/kind-of.ts';

export { customVerdict } from './kinds/custom.ts';
export type { AttestationKind, CommonReport, Evidence } from './kinds/kind.ts';

/**
 * All kinds of attestation, by the type of their records (rules/attestations.md#kinds). Records of custom types have
 * `custom:<name>`.
 */
export const ATTESTATION_KINDS = {
  generic: genericKind,
  custom: customKind,
  jira: issueTrackerKind,
  junit: junitKind,
  snyk: snykKind,
  sonar: sonarKind,
  pull_request: pullRequestKind,
  decision: decisionKind,
  sbom: sbomKind,
  override: overrideKind,
} as const;
export type KindName = keyof typeof ATTESTATION_KINDS;

/** Converts a type of a filter or a policy to the spelling of records (rules/attestations.md#type-aliases). */
export function canonicalType(type: string): string {
  if (type === 'issue_tracker') return 'jira';
  return type === 'system:decision' || type === 'system:sbom' ? type.slice('system:'.length) : type;
}

/**
 * Returns the fields that an answer shows for the kind of an attestation (rules/attestations.md#detail-by-kind).
 *
 * @param recordType type of the stored record
 * @throws Error if no kind has this type
 */
export function evidenceDetail(recordType: string, evidence: Evidence): Record<string, unknown> {
  const name = recordType.startsWith('custom:') ? 'custom' : recordType;
  // What came as a bundle has its facts in its verification.
  if (STATEMENT_KINDS.some((kind) => kind === name)) return evidence;
  if (!isKindName(name)) throw new Error(`a record has the unknown attestation type ${recordType}`);
  return ATTESTATION_KINDS[name].detail(evidence);
}

const isKindName = (name: string): name is KindName => Object.hasOwn(ATTESTATION_KINDS, name);
