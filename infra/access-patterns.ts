import { AGENT_PATTERNS } from '#shared/agents/records/access-patterns.ts';
import { BODY_PATTERNS } from '#shared/bodies/access-patterns.ts';
import { COMPONENT_PATTERNS } from '#shared/components/records/access-patterns.ts';
import { CONTROL_PATTERNS } from '#shared/controls/records/access-patterns.ts';
import { ENVIRONMENT_PATTERNS } from '#shared/environments/records/access-patterns.ts';
import { EVALUATION_PATTERNS } from '#shared/evaluations/records/access-patterns.ts';
import { EVIDENCE_PATTERNS } from '#shared/evidence/records/access-patterns.ts';
import { EXPECTATION_PATTERNS } from '#shared/expectations/records/access-patterns.ts';
import { EXPORT_PATTERNS } from '#shared/exports/records/access-patterns.ts';
import { LOG_PATTERNS } from '#shared/log/records/access-patterns.ts';
import { NOTIFICATION_PATTERNS } from '#shared/notifications/records/access-patterns.ts';
import { ORGANIZATION_PATTERNS } from '#shared/organizations/records/access-patterns.ts';
import { POLICY_PATTERNS } from '#shared/policies/records/access-patterns.ts';
import { SERIES_PATTERNS } from '#shared/series/access-patterns.ts';
import { SIGNER_PATTERNS } from '#shared/signers/records/access-patterns.ts';
import { SWEEP_PATTERNS } from '#shared/sweeps/access-patterns.ts';
import type { AccessPattern } from '#shared/table/access-patterns.ts';
import { REQUEST_PATTERNS } from '#shared/table/request-patterns.ts';
import { WATCH_PATTERNS } from '#shared/watches/records/access-patterns.ts';

/**
 * Every access pattern of the table (rules/storage.md#keys). Each domain describes its own patterns beside its keys. To
 * add a query, add a row there first.
 */
export const ACCESS_PATTERNS: readonly AccessPattern[] = [
  ...ORGANIZATION_PATTERNS,
  ...EVIDENCE_PATTERNS,
  ...COMPONENT_PATTERNS,
  ...CONTROL_PATTERNS,
  ...POLICY_PATTERNS,
  ...ENVIRONMENT_PATTERNS,
  ...EVALUATION_PATTERNS,
  ...EXPECTATION_PATTERNS,
  ...WATCH_PATTERNS,
  ...SIGNER_PATTERNS,
  ...NOTIFICATION_PATTERNS,
  ...LOG_PATTERNS,
  ...EXPORT_PATTERNS,
  ...AGENT_PATTERNS,
  ...BODY_PATTERNS,
  ...SERIES_PATTERNS,
  ...SWEEP_PATTERNS,
  ...REQUEST_PATTERNS,
];
