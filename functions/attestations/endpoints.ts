import { endpointGroup } from '#shared/http/endpoint.ts';
import { getAttachment, listAttachments } from './attachments.ts';
import { attestEndpoints } from './attest.ts';
import { attestBundle } from './attest-bundle.ts';
import { getArtifactAttestations, getTrailAttestations } from './attestations-by-name.ts';
import { getAttachmentText } from './get-attachment-text.ts';
import { listAttestations } from './list-attestations.ts';
import { presignUpload } from './presign-upload.ts';
import { previewAttachment } from './preview-attachment.ts';
import { reportBundles } from './report-bundles.ts';

export const attestationsGroup = endpointGroup({
  name: 'attestations',
  about: 'Records of checks, reviews and decisions about trails and artifacts, with attachments.',
  endpoints: [
    ...attestEndpoints,
    attestBundle,
    reportBundles,
    getTrailAttestations,
    getArtifactAttestations,
    listAttestations,
    listAttachments,
    getAttachment,
    getAttachmentText,
    previewAttachment,
    presignUpload,
  ],
});
