import { idOfDigest } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { ArtifactStatus, ComplianceStatus } from './verdict.ts';

/** SHA-256 of the empty text: the empty template gets its id from this digest. */
const EMPTY_TEMPLATE_DIGEST = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Returns the id of a template, which is derived from its digest (rules/flows.md#template-ids). */
export const templateId = (digest: string | null): string => idOfDigest(digest ?? EMPTY_TEMPLATE_DIGEST);

/**
 * Only a reported artifact has a time of evaluation, in seconds since the epoch, and a template.
 *
 * @param template digest of the template that was evaluated; null is the empty template
 */
export function artifactStatusOut(entry: ArtifactStatus, template: string | null) {
  if (entry.status === 'MISSING') return entry;
  return { ...entry, evaluated_at: toSeconds(entry.evaluated_at), flow_template_id: templateId(template) };
}

/** Builds `compliance_status` of a trail (rules/trails.md#compliance-status). Times are in seconds since the epoch. */
export function complianceStatusOut(status: ComplianceStatus) {
  const { template, evaluated_at, ...rest } = status;
  // The object has no prototype, because `__proto__` is a legal name.
  const artifacts: Record<string, ReturnType<typeof artifactStatusOut>> = Object.create(null);
  for (const [name, entry] of Object.entries(status.artifacts_statuses)) {
    artifacts[name] = artifactStatusOut(entry, template);
  }
  return {
    ...rest,
    artifacts_statuses: artifacts,
    evaluated_at: toSeconds(evaluated_at),
    flow_template_id: templateId(template),
  };
}
