import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { ALLOW_ARTIFACT, type ArtifactAllowed, allowArtifact as allow } from '#shared/environments/allow-artifact.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';

const AllowedArtifact = z
  .object({
    artifact_fingerprint: Fingerprint.describe('SHA-256 of the artifact that the attestation is about'),
    artifact_name: z.string().min(1).max(4096).describe('Name of the artifact'),
    description: z.string().min(1).max(10_000).meta({ description: 'The reason, for later audits' }),
  })
  .meta({
    id: 'AllowedArtifact',
    description: 'An artifact that counts as compliant in one environment, whatever its policies decide.',
  });

/** PUT /allowlists/{org}/{env_name}: puts an artifact on the allow-list of an environment (rules/environments.md#allow-list). */
export const allowArtifact = endpoint({
  operation: 'allowArtifact',
  method: 'PUT',
  path: '/allowlists/{org}/{env_name}',
  summary: 'Put an artifact on the allow-list of an environment',
  description:
    'The artifact counts as compliant there, also if it was never reported. A new entry is answered with 201. The same entry again changes nothing. The latest reason is in force; earlier reasons are kept.',
  access: 'member',
  body: { kind: 'json', schema: AllowedArtifact },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: ALLOW_ARTIFACT,
  handler: async (request, stores: Stores) => {
    const { artifact_fingerprint: fingerprint, artifact_name: name, description } = request.body;
    return answerWrite(
      request,
      (by) => allow(stores, by, request.params.env_name, { fingerprint, name, description }),
      ({ isNew, appended }: ArtifactAllowed) => okAppending(isNew ? 201 : 200)(appended),
    );
  },
});
