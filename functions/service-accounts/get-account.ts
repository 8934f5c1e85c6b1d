import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { AccountOut, accountOut } from './account-output.ts';
import { accountOrRefuse, accountParams } from './managed-account.ts';

/** GET /service-accounts/{org}/{name}: one service account (rules/organizations.md#account-endpoints). */
export const getAccount = endpoint({
  operation: 'getServiceAccount',
  method: 'GET',
  path: '/service-accounts/{org}/{name}',
  summary: 'Get a service account',
  access: 'reader',
  params: z.object(accountParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: AccountOut },
  errors: [accountNotFound],
  handler: async ({ params, org }, { table }) => ({
    status: 200,
    body: accountOut(await accountOrRefuse(table, org, params.name)),
  }),
});
