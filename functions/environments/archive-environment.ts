import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { presentEnvironment } from '#shared/environments/present-environment.ts';
import { archiveEnvironment as archive } from '#shared/environments/records/environment-archive.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

/** PUT /environments/{org}/{env_name}/archive: takes an environment out of the lists (rules/environments.md#archive). */
export const archiveEnvironment = endpoint({
  operation: 'archiveEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/archive',
  summary: 'Archive an environment',
  description:
    'The environment leaves logical environments and loses its policies. Notifications that name no other environment are deleted. Its name becomes free. Its snapshots are kept.',
  access: 'member',
  params: z.object({ org: z.string(), env_name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: {
    writes: ['ENV', 'ENVNAME', 'ACTION', 'ACTIONS', 'RELAYED', 'AUDIT'],
    removes: ['CATALOGUE', 'ENV', 'POLICY', 'ACTIONS', 'ACTIONNAME', 'ACTIONSECRET', 'HEALTH'],
  },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const head = await presentEnvironment(table, org, params.env_name);
      const now = clock.now();
      const subject = { type: 'environment', id: head.id, name: head.name };
      const claim = claimWrites(idempotency, answer, now);
      return archive(table, org.id, head, now, {
        others: auditing(request, { kind: 'environment.archived', subject }, claim),
        audited: auditing(request, { kind: 'environment.references_removed', subject }, []),
      });
    });
    return written(answer, outcome);
  },
});
