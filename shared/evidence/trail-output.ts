import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { RawJson } from '#shared/base/json-text.ts';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { ProvenOrigin } from '#shared/callers/verified-identity.ts';
import type { RuntimeEvent } from '#shared/evidence/records/runtime-events.ts';
import type { TrailRecord } from '#shared/evidence/records/trail-records.ts';
import { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import { complianceStatusOut } from '#shared/evidence/rules/status-output.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import { fieldsFrom } from '#shared/evidence/rules/trail-report.ts';
import { judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { RecallsOut } from './recalls-output.ts';
import { trailEvents } from './trail-events.ts';

const Slot = z.object({
  name: z.string().describe('Name of the attestation'),
  type: z.string().describe('Type of the attestation; `*` means any type'),
});

const RecalledEntryOut = z
  .object({
    attestation_name: z.string().describe('Name of the attestation'),
    attestation_type: z.string().describe('Type of the attestation'),
    attestation_id: z.string().describe('Id of the attestation'),
    recalls: RecallsOut.describe('The recalls that the signature of the attestation falls under, by name'),
  })
  .meta({ id: 'RecalledEntry' });
const Recalled = z
  .array(RecalledEntryOut)
  .optional()
  .describe(
    'Attestations that do not count any more; absent if there are none. Past verdicts stay: they were recalled since',
  );

export const AttestationStatusOut = z
  .object({
    attestation_name: z.string().describe('Name of the attestation in the template of the trail'),
    attestation_type: z.string().describe('Type of the attestation'),
    attestation_id: z.string().nullable().describe('Id of the attestation'),
    overridden_attestation_id: z
      .string()
      .nullable()
      .describe('Id of the attestation that this one overrides; null if it overrides none'),
    status: z.enum(['MISSING', 'COMPLETE']).describe('The verdict'),
    is_compliant: z.boolean().nullable().describe('Whether it is compliant'),
    unexpected: z.boolean().describe('Whether the template does not name it'),
    origin: ProvenOrigin.optional().describe(
      'What an issuer proved about the reporter, without the name of a person; absent if nothing',
    ),
    proof: SlotProof.optional().describe(
      'What is known of the signature; absent for evidence that came without one, whose grade follows from its reporter',
    ),
    recalled: RecalledEntryOut.optional().describe(
      'The newer attestation that does not count any more. In a past verdict: this one, which was recalled since',
    ),
  })
  .meta({ id: 'AttestationStatus' });

export const ArtifactStatusOut = z
  .object({
    artifact_fingerprint: z.string().nullable().describe('SHA-256 of the artifact that the attestation is about'),
    artifact_id: z.string().nullable().describe('Id of the report of the artifact'),
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE', 'MISSING']).describe('The verdict'),
    is_compliant: z.boolean().nullable().describe('Whether it is compliant'),
    attestations_statuses: z
      .array(AttestationStatusOut)
      .describe('One entry for each attestation that the template names or that was reported'),
    unexpected: z.boolean().describe('Whether the template does not name it'),
    origin: ProvenOrigin.optional().describe(
      'What an issuer proved about the reporter, without the name of a person; absent if nothing',
    ),
    recalled: Recalled,
    evaluated_at: z.number().optional().describe('When the verdict was computed, in seconds since the epoch'),
    flow_template_id: z.string().optional().describe('Id of the template that was used'),
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
    status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']).describe('The verdict'),
    is_compliant: z.boolean().describe('Whether it is compliant'),
    attestations_statuses: z
      .array(AttestationStatusOut)
      .describe('One entry for each attestation that the template names or that was reported'),
    artifacts_statuses: ArtifactStatuses.describe(
      'One entry for each artifact that the template names or that was reported, by name',
    ),
    recalled: Recalled,
    evaluated_at: z.number().describe('When the verdict was computed, in seconds since the epoch'),
    flow_template_id: z.string().describe('Id of the template that was used'),
  })
  .meta({ id: 'ComplianceStatus' });

/** The fields of a trail in lists (rules/trails.md#list-trails). */
const summaryShape = {
  name: z.string().describe('Name of the trail'),
  description: z.string().describe('A text for people'),
  compliance_state: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']).describe('The verdict in one word'),
  is_compliant: z.boolean().describe('Whether it is compliant'),
  created_at: z.number().describe('When the record was made, in seconds since the epoch'),
  last_modified_at: z.number().describe('When the record changed last, in seconds since the epoch'),
  created_by: z.string().describe('Name of the user or service account that made the record'),
  html_url: z.string().describe('Address of a page for people'),
  erased: ErasureOut,
};
export const TrailSummaryOut = z.object({
  ...summaryShape,
  flow_name: z.string().describe('Name of the flow'),
  git_commit_info: z.looseObject({}).nullable().describe('The commit of the report'),
});

/** A trail as clients read it (rules/trails.md#trail-record). */
export const TrailOut = z
  .object({
    ...summaryShape,
    origin_url: z.string().nullable().describe('Address where the evidence comes from'),
    git_commit_info: z.looseObject({}).nullable().describe('The commit of the report'),
    user_data: z.unknown().describe('Any JSON. It is stored and answered as it was sent'),
    external_urls: z
      .record(z.string(), z.looseObject({}))
      .nullable()
      .describe('Links by label. A label contains neither `.` nor `=`. A link is an address, or an object with `href`'),
    repo_ids: z.array(z.string()).describe('Internal ids of the repositories of the trail'),
    template: z
      .object({
        version: z.int().describe('Version of the template format'),
        trail: z
          .object({
            attestations: z.array(Slot).describe('Attestations that the trail must have'),
            artifacts: z
              .array(
                z.object({
                  name: z.string().describe('Name of the artifact'),
                  attestations: z.array(Slot).describe('Attestations that the artifact must have'),
                }),
              )
              .describe('Artifacts that the trail must have'),
          })
          .describe('What a trail must have'),
        content: z.string().describe('Text of the template'),
      })
      .describe('The template that the trail is judged by'),
    compliance_status: ComplianceStatusOut.describe('The verdict with everything that it depends on'),
    events: z
      .array(
        z.looseObject({
          type: z.string().describe('What happened'),
          timestamp: z.number().describe('Time in seconds since the epoch'),
        }),
      )
      .describe('What happened in the trail, in order'),
    flow: z
      .object({
        name: z.string().describe('Present name of the flow'),
        tags: z.record(z.string(), z.string()).describe('Tags by name'),
      })
      .describe('The flow'),
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
