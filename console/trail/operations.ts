import type { getAttachment } from '#functions/attestations/attachments.ts';
import type { listAttestations } from '#functions/attestations/list-attestations.ts';
import type { previewAttachment } from '#functions/attestations/preview-attachment.ts';
import type { listSbomComponents } from '#functions/components/list-sbom-components.ts';
import type { getTrail } from '#functions/trails/get-trail.ts';
import type { listMoments } from '#functions/trails/list-moments.ts';
import type { listFlowTrails } from '#functions/trails/list-trails.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on trails and their evidence. */
export const trail = operation<typeof getTrail>()('GET', '/trails/{org}/{flow}/{trail}', 'reader');
export const flowTrails = operation<typeof listFlowTrails>()('GET', '/trails/{org}/{flow}', 'reader');
export const attestations = operation<typeof listAttestations>()('GET', '/attestations/{org}', 'reader');
export const attachment = operation<typeof getAttachment>()(
  'GET',
  '/attestations/{org}/{attestation_id}/attachments/{n}',
  'reader',
);
export const attachmentPreview = operation<typeof previewAttachment>()(
  'GET',
  '/attestations/{org}/{attestation_id}/attachments/{n}/preview',
  'reader',
);
export const sbomComponents = operation<typeof listSbomComponents>()(
  'GET',
  '/components/{org}/sboms/{attestation_id}',
  'reader',
);
export const trailMoments = operation<typeof listMoments>()(
  'GET',
  '/trails/{org}/{flow_name}/{trail_name}/moments',
  'reader',
);

export type Trail = AnswerOf<typeof getTrail>;
export type Moment = AnswerOf<typeof listMoments>['moments'][number];
export type TrailSummary = AnswerOf<typeof listFlowTrails>['data'][number];
export type Attestation = AnswerOf<typeof listAttestations>['data'][number];
export type SbomComponent = AnswerOf<typeof listSbomComponents>['components'][number];
export type Preview = AnswerOf<typeof previewAttachment>;
