import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { retrying } from '#shared/base/retry.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { renameEnvironment as rename } from '#shared/environments/records/environment-writes.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { EnvironmentName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

const Rename = z.object({ new_name: EnvironmentName }).meta({ id: 'EnvironmentRename' });

/** PUT /environments/{org}/{env_name}/rename (rules/environments.md#rename). */
export const renameEnvironment = endpoint({
  operation: 'renameEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/rename',
  summary: 'Rename an environment',
  description: 'It stays reachable under its old name until another environment takes it.',
  access: 'member',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: Rename },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: { writes: ['ENV', 'ENVNAME', 'POLICY', 'CATALOGUE', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { params, body, org, idempotency } = request;
    const answer = ok(200);
    const { new_name: name } = body;
    const outcome = await retrying(async () => {
      const head = await presentEnvironment(table, org, params.env_name);
      const now = clock.now();
      const claim = claimWrites(idempotency, answer, now);
      if (head.name === name) return claimAlone(table, claim);
      const audited = {
        kind: 'environment.renamed',
        subject: { type: 'environment', id: head.id, name },
        before: { name: head.name },
        after: { name },
      } as const;
      const renamed = await rename(table, org.id, head, name, now, auditing(request, audited, claim));
      if (renamed === 'taken') {
        throw invalid({ new_name: `Environment named '${name}' already exists for organization '${org.name}'` });
      }
      return renamed;
    });
    return written(answer, outcome);
  },
});
