import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { archiveFlow as archive } from '#shared/evidence/records/flow-writes.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

/** PUT /flows/{org}/{flow}/archive: removes a flow from the lists and frees its names (rules/flows.md#archive). */
export const archiveFlow = endpoint({
  operation: 'archiveFlow',
  method: 'PUT',
  path: '/flows/{org}/{flow}/archive',
  summary: 'Archive a flow',
  description: 'Its trails and records stay readable under the name `{name}-archived-at-{seconds since the epoch}`.',
  access: 'member',
  params: z.object({ org: z.string(), flow: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [unknownFlow],
  uses: { writes: ['FLOW', 'FLOWNAME', 'AUDIT'], removes: ['CATALOGUE', 'FLOWNAME'] },
  handler: async (request, { table, clock }) => {
    const { params, org, idempotency } = request;
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const head = await findFlow(table, org.id, params.flow);
      if (!head || head.archived !== null) throw unknownFlow({ flow: params.flow, org: org.name });
      const now = clock.now();
      const { id, name } = head;
      const audited = { kind: 'flow.archived', subject: { type: 'flow', id, name } } as const;
      const claim = claimWrites(idempotency, answer, now);
      return archive(table, org.id, head, now, auditing(request, audited, claim));
    });
    return written(answer, outcome);
  },
});
