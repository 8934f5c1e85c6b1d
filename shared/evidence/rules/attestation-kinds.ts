import { customKind } from './kinds/custom.ts';
import { decisionKind } from './kinds/decision.ts';
import { genericKind } from './kinds/generic.ts';
import { issueTrackerKind } from './kinds/issue-tracker.ts';
import { junitKind } from './kinds/junit.ts';
import type { Evidence } from './kinds/kind.ts';
import { overrideKind } from './kinds/override.ts';
import { pullRequestKind } from './kinds/pull-request.ts';
import { snykKind } from './kinds/snyk.ts';
import { sonarKind } from './kinds/sonar.ts';

export { customVerdict, type RuleResult } from './kinds/custom.ts';
export type { AttestationKind, CommonReport, Evidence } from './kinds/kind.ts';

/** Every kind of attestation, by the word of its record's type (wire flows §6.2); custom types are `custom:<name>`. */
export const ATTESTATION_KINDS = {
  generic: genericKind,
  custom: customKind,
  jira: issueTrackerKind,
  junit: junitKind,
  snyk: snykKind,
  sonar: sonarKind,
  pull_request: pullRequestKind,
  decision: decisionKind,
  override: overrideKind,
} as const;
export type KindName = keyof typeof ATTESTATION_KINDS;

/** The spellings of a type that filters and policies may use, in the one that records have (wire flows U17, §12). */
export function canonicalType(type: string): string {
  if (type === 'issue_tracker') return 'jira';
  return type === 'system:decision' ? 'decision' : type;
}

/**
 * The kind's own fields of an attestation that is read back (wire flows §7).
 * @param recordType type of a stored record
 */
export function evidenceDetail(recordType: string, evidence: Evidence): Record<string, unknown> {
  const name = recordType.startsWith('custom:') ? 'custom' : recordType;
  if (!isKindName(name)) throw new Error(`a record has the unknown attestation type ${recordType}`);
  return ATTESTATION_KINDS[name].detail(evidence);
}

const isKindName = (name: string): name is KindName => Object.hasOwn(ATTESTATION_KINDS, name);
