import * as z from 'zod';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { retrying } from '#shared/base/retry.ts';
import { allowArtifact as allow } from '#shared/environments/allow-artifact.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import type { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import { type Appended, claimWrites } from '#shared/table/idempotency.ts';

const AllowedArtifact = z
  .object({
    artifact_fingerprint: Fingerprint,
    artifact_name: z.string().min(1).max(4096),
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
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: AllowedArtifact },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: {
    writes: ['ENV', 'SNAPSHOT', 'CATALOGUE', 'BODY', 'ALLOWED', 'AUDIT'],
    bucket: ['bodies:read', 'bodies:write'],
  },
  handler: async (request, services) => {
    const { params, body, org, caller, idempotency } = request;
    const { table, clock } = services;
    const answer = (isNew: boolean, appended?: Appended) => ({ ...ok(isNew ? 201 : 200), appended });
    const { artifact_fingerprint: fingerprint, artifact_name: name, description } = body;
    const { outcome, isNew, appended } = await retrying(async () => {
      const head = await presentEnvironment(table, org, params.env_name);
      const claim = (hasEntry: boolean, links?: Appended) =>
        claimWrites(idempotency, answer(hasEntry, links), clock.now());
      const allowance = { fingerprint, name, description, by: caller };
      const audit = (replaced: AllowedItem | null, covers: readonly Cover[]) => [
        auditOf(request, {
          kind: 'environment.artifact_allowed',
          subject: { type: 'environment', id: head.id, name: head.name },
          ...(replaced && { before: factsOf(replaced) }),
          after: { fingerprint, name, description },
          covers,
        }),
      ];
      const { outcome, ...stored } = await allow(services, org, head, allowance, audit, claim);
      return outcome === 'again' ? outcome : { outcome, ...stored };
    });
    return written(answer(isNew, appended), outcome);
  },
});

const factsOf = ({ fingerprint, name, description }: AllowedItem) => ({ fingerprint, name, description });
