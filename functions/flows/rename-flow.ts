import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { retrying } from '#shared/base/retry.ts';
import { renameFlow as rename } from '#shared/evidence/records/flow-writes.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { flowNotFound, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites } from '#shared/table/idempotency.ts';

const Rename = z.object({ new_name: FlowName }).meta({ id: 'FlowRename' });

/** PUT /flows/{org}/{flow_name}/rename: renames a flow; the old name becomes an alias (rules/flows.md#rename). */
export const renameFlow = endpoint({
  operation: 'renameFlow',
  method: 'PUT',
  path: '/flows/{org}/{flow_name}/rename',
  summary: 'Rename a flow',
  description: 'The flow stays reachable under its old name until another flow takes it.',
  access: 'member',
  row: 6,
  params: z.object({ org: z.string(), flow_name: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: Rename },
  success: { 200: z.literal('OK') },
  errors: [flowNotFound],
  uses: { writes: ['FLOW', 'FLOWNAME', 'CATALOGUE', 'AUDIT'] },
  handler: async (request, { table, clock }) => {
    const { params, body, org, idempotency } = request;
    const answer = ok(200);
    const { new_name: name } = body;
    const outcome = await retrying(async () => {
      const head = await findFlow(table, org.id, params.flow_name);
      if (!head || head.archived !== null) {
        const { message: detail } = unknownFlow({ flow: params.flow_name, org: org.name });
        throw flowNotFound({}, { detail });
      }
      const claim = claimWrites(idempotency, answer, clock.now());
      if (head.name === name) return claimAlone(table, claim);
      const audited = {
        kind: 'flow.renamed',
        subject: { type: 'flow', id: head.id, name: head.name },
        before: { name: head.name },
        after: { name },
      } as const;
      const renamed = await rename(table, org.id, head, name, auditing(request, audited, claim));
      if (renamed === 'taken') {
        throw invalid({ new_name: `Flow named '${name}' already exists for organization '${org.name}'` });
      }
      return renamed;
    });
    return written(answer, outcome);
  },
});
