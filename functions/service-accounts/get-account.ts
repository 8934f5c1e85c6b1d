import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getAccount as get } from '#shared/organizations/accounts/read-accounts.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { AccountOut, accountOut } from './account-output.ts';

/** GET /service-accounts/{org}/{name}: one service account (rules/organizations.md#account-endpoints). */
export const getAccount = endpoint({
  operation: 'getServiceAccount',
  method: 'GET',
  path: '/service-accounts/{org}/{name}',
  summary: 'Get a service account',
  access: 'reader',
  success: { 200: AccountOut },
  errors: [accountNotFound],
  handler: async ({ params, org }, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: accountOut(await get(stores, org, params.name)),
  }),
});
