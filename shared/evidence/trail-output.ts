import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import type { TrailRecord } from '#shared/evidence/records/trail-records.ts';
import { complianceStatusOut } from '#shared/evidence/rules/status-output.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import { fieldsFrom } from '#shared/evidence/rules/trail-report.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { trailEvents } from './trail-events.ts';

const Slot = z.object({ name: z.string(), type: z.string() });

export const AttestationStatusOut = z
  .object({
    attestation_name: z.string(),
    attestation_type: z.string(),
    attestation_id: z.string().nullable(),
    overridden_attestation_id: z.string().nullable(),
    status: z.enum(['MISSING', 'COMPLETE']),
    is_compliant: z.boolean().nullable(),
    unexpected: z.boolean(),
    origin: ProvenOrigin.optional(),
  })
  .meta({ id: 'AttestationStatus' });

export const ArtifactStatusOut = z
  .object({
    artifact_fingerprint: z.string().nullable(),
    artifact_id: z.string().nullable(),
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE', 'MISSING']),
    is_compliant: z.boolean().nullable(),
    attestations_statuses: z.array(AttestationStatusOut),
    unexpected: z.boolean(),
    origin: ProvenOrigin.optional(),
    evaluated_at: z.number().optional(),
    flow_template_id: z.string().optional(),
  })
  .meta({ id: 'ArtifactStatus' });

/**
 * By template reference name. `z.record` drops the key `__proto__`, which is a legal name (rules/requests.md#names).
 */
const ArtifactStatuses = z
  .custom<Record<string, z.input<typeof ArtifactStatusOut>>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((entry) => ArtifactStatusOut.safeParse(entry).success),
  )
  .meta({
    override: { type: 'object', additionalProperties: { $ref: '#/components/schemas/ArtifactStatus' } },
  });

const ComplianceStatusOut = z
  .object({
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
    is_compliant: z.boolean(),
    attestations_statuses: z.array(AttestationStatusOut),
    artifacts_statuses: ArtifactStatuses,
    evaluated_at: z.number(),
    flow_template_id: z.string(),
  })
  .meta({ id: 'ComplianceStatus' });

/** The fields of a trail in lists (rules/trails.md#list-trails). */
const summaryShape = {
  name: z.string(),
  description: z.string(),
  compliance_state: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
  is_compliant: z.boolean(),
  created_at: z.number(),
  last_modified_at: z.number(),
  created_by: z.string(),
  html_url: z.string(),
  erased: ErasureOut.optional(),
};
export const TrailSummaryOut = z.object({
  ...summaryShape,
  flow_name: z.string(),
  git_commit_info: z.looseObject({}).nullable(),
});

/** A trail as clients read it (rules/trails.md#trail-record). */
export const TrailOut = z
  .object({
    ...summaryShape,
    origin_url: z.string().nullable(),
    git_commit_info: z.looseObject({}).nullable(),
    user_data: z.unknown(),
    external_urls: z.record(z.string(), z.looseObject({})).nullable(),
    repo_ids: z.array(z.string()),
    template: z.object({
      version: z.int(),
      trail: z.object({
        attestations: z.array(Slot),
        artifacts: z.array(z.object({ name: z.string(), attestations: z.array(Slot) })),
      }),
      content: z.string(),
    }),
    compliance_status: ComplianceStatusOut,
    events: z.array(z.looseObject({ type: z.string(), timestamp: z.number() })),
    flow: z.object({ name: z.string(), tags: z.record(z.string(), z.string()) }),
  })
  .meta({ id: 'Trail' });

export const trailUrl = (host: string, org: string, flow: string, trail: string): string =>
  `${host}/${org}/flows/${flow}/trails/${trail}`;

/**
 * Builds the answer for a trail (rules/trails.md#get-a-trail).
 *
 * @param template the template of the trail's last moment
 * @param content text of this template; `""` for the empty template
 * @param runtime the newest runtime events, ascending
 */
export function trailOut(
  trail: TrailRecord,
  template: Template,
  content: string,
  at: { host: string; org: string; orgId: OrganizationId },
  runtime: readonly RuntimeEvent[] = [],
): z.input<typeof TrailOut> {
  const { head, flow, state } = trail;
  const fields = fieldsFrom(state.fields === null ? null : trail.fields.get(state.fields));
  const status = judgeTrail(state, template);
  return {
    name: head.name,
    description: fields.description ?? '',
    compliance_state: status.status,
    is_compliant: status.is_compliant,
    created_at: toSeconds(head.created),
    last_modified_at: toSeconds(head.at),
    created_by: head.by,
    html_url: trailUrl(at.host, at.org, flow.name, head.name),
    origin_url: fields.origin_url,
    git_commit_info: fields.git_commit_info,
    user_data: new RawJson(fields.user_data ?? '{}'),
    external_urls: fields.external_urls,
    repo_ids: [...state.repos],
    template: { ...template, content },
    compliance_status: complianceStatusOut(status),
    events: trailEvents(trail, runtime, at.orgId),
    flow: { name: flow.name, tags: trail.flowTags },
    ...erasedOut(trail.erased),
  };
}
