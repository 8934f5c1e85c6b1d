import * as z from 'zod';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { ATTEST_USES, recordAttestation, refuseTooManyFiles } from '#shared/evidence/record-attestation.ts';
import {
  ATTESTATION_KINDS,
  type AttestationKind,
  type CommonReport,
} from '#shared/evidence/rules/attestation-kinds.ts';
import { archivedType, artifactNotInTrail, unknownFlow, unknownType } from '#shared/evidence/rules/sentences.ts';
import { FlowName, TrailName } from '#shared/evidence/rules/shared-fields.ts';
import { type Endpoint, endpoint, type FileRule } from '#shared/http/endpoint.ts';
import { attachmentTooLarge, inlineFileTooLarge } from '#shared/http/sentences.ts';

/** The endpoints of the API document that attest, by path segment. */
const ROWS: Record<string, number> = { issue_tracker: 7, custom: 8, generic: 9 };

const FILES: FileRule[] = [
  {
    part: /^attachment_file(\.[0-9]+)?$/,
    limit: 4 * 1024 * 1024,
    tooLarge: inlineFileTooLarge,
    description: 'An attachment of up to 4 MB. Upload a larger file first and name it in `attachments`',
  },
];

/**
 * One endpoint per path segment of every kind (rules/attestations.md#paths-of-kinds). A new kind adds its endpoints.
 */
export const attestEndpoints: Endpoint[] = Object.values(ATTESTATION_KINDS).flatMap((kind) =>
  kind.segments.map((segment) => attest(kind as AttestationKind, segment)),
);

/**
 * POST /attestations/{org}/{flow_name}/trail/{trail_name}/{kind}: reports an attestation
 * (rules/attestations.md#reporting).
 */
function attest(kind: AttestationKind, segment: string): Endpoint {
  const row = ROWS[segment];
  return endpoint({
    operation: `attest${segment.split('_').map(capital).join('')}`,
    method: 'POST',
    path: `/attestations/{org}/{flow_name}/trail/{trail_name}/${segment}`,
    summary: `Report a ${segment.replace('_', ' ')} attestation`,
    description:
      'Creates the flow and the trail if they do not exist. The attestation is bound to an artifact by `artifact_fingerprint`, or by `target_artifacts` and the commit, otherwise to the trail. Only the latest report of a name and type counts.',
    access: 'member',
    ...(segment === 'system' && { feature: 'controls' as const }),
    ...(row !== undefined && { row }),
    params: z.object({ org: z.string(), flow_name: FlowName, trail_name: TrailName }),
    query: z.object({}),
    body: kind.takesFiles
      ? { kind: 'multipart', part: 'data_json', schema: kind.schema, files: FILES, plainJson: true }
      : { kind: 'json', schema: kind.schema },
    success: { 201: z.literal('OK') },
    makes: { at: '/attestations/{org}?attestation_id={attestation_id}', id: 'attestation_id' },
    appends: '/receipts/{org}/trails/{flow_name}/{trail_name}/{number}',
    errors: [
      artifactNotInTrail,
      unknownFlow,
      inlineFileTooLarge,
      attachmentTooLarge,
      ...(segment === 'custom' ? [unknownType, archivedType] : []),
    ],
    checks: [({ sent, files }) => refuseTooManyFiles(files, sent)],
    uses: ATTEST_USES,
    handler: ({ params, body, bodyText, files, ...reporter }, services) =>
      recordAttestation(
        services,
        reporter,
        { flow: params.flow_name, trail: params.trail_name },
        { kind, body: body as CommonReport, bodyText, files },
        decisionBinding,
      ),
  });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
