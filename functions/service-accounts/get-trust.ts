import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { trustNotFound } from '#shared/organizations/rules/sentences.ts';
import { getTrust as get } from '#shared/organizations/trusts/read-trusts.ts';
import { TrustOut, trustOut } from './trust-forms.ts';

/** GET /trusts/{org}/{name}: one trust (rules/identities.md#trusts). */
export const getTrust = endpoint({
  operation: 'getTrust',
  method: 'GET',
  path: '/trusts/{org}/{name}',
  summary: 'Get a trust',
  access: 'admin',
  success: { 200: TrustOut },
  errors: [trustNotFound],
  handler: async ({ params, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: trustOut(await get(stores, org.id, params.name)),
  }),
});
