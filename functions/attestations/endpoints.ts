import { endpointGroup } from '#shared/http/endpoint.ts';
import { attestEndpoints } from './attest.ts';
import { getArtifactAttestations } from './get-artifact-attestations.ts';
import { getAttachment } from './get-attachment.ts';
import { getAttachmentText } from './get-attachment-text.ts';
import { getTrailAttestations } from './get-trail-attestations.ts';
import { listAttachments } from './list-attachments.ts';
import { listAttestations } from './list-attestations.ts';
import { presignUpload } from './presign-upload.ts';

export const attestationsGroup = endpointGroup({
  name: 'attestations',
  about: 'Records of checks, reviews and decisions about trails and artifacts, with attachments.',
  endpoints: [
    ...attestEndpoints,
    getTrailAttestations,
    getArtifactAttestations,
    listAttestations,
    listAttachments,
    getAttachment,
    getAttachmentText,
    presignUpload,
  ],
});
