import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { trustNotFound } from '#shared/organizations/rules/sentences.ts';
import { DELETE_TRUST, deleteTrust as remove } from '#shared/organizations/trusts/change-trust.ts';

/** DELETE /trusts/{org}/{name}: removes a trust, which ends its keys (rules/identities.md#end-of-keys). */
export const deleteTrust = endpoint({
  operation: 'deleteTrust',
  method: 'DELETE',
  path: '/trusts/{org}/{name}',
  summary: 'Delete a trust, and end the keys that were exchanged for its tokens',
  description: 'The keys end everywhere within 30 seconds. The name is free again.',
  access: 'admin',
  managesAccess: true,
  success: { 200: z.literal('OK') },
  errors: [trustNotFound],
  uses: DELETE_TRUST,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, params } = request;
    return answerWrite(
      request,
      (by) => remove(stores, by, params.name),
      () => ({ ...ok(200), distrust: { trusts: { org: org.id, names: [params.name] } } }),
    );
  },
});
