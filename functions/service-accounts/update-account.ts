import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { UPDATE_ACCOUNT, updateAccount as update } from '#shared/organizations/accounts/change-account.ts';
import { AccountName, type AccountRecord } from '#shared/organizations/accounts/read-accounts.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { AccountOut, accountOut, Description, Privilege } from './account-output.ts';

const AccountChange = z
  .object({
    description: Description.nullable()
      .optional()
      .meta({ description: 'null clears the description; absent = unchanged' }),
    privilege: Privilege.optional().meta({ description: 'Only admins may change it' }),
  })
  .meta({ id: 'ServiceAccountChange' });

/**
 * PATCH /service-accounts/{org}/{name}: changes description or privilege (rules/organizations.md#account-endpoints). Admins
 * change every account. A creator changes the description of an own account (rules/organizations.md#managing-an-account).
 */
export const updateAccount = endpoint({
  operation: 'updateServiceAccount',
  method: 'PATCH',
  path: '/service-accounts/{org}/{name}',
  summary: 'Update the description or the privilege of a service account',
  description: '`{}` changes nothing. A request whose fields are all unknown is refused.',
  access: 'snapshotter',
  managesAccess: true,
  row: 2,
  params: z.object({ org: z.string(), name: AccountName }),
  body: { kind: 'json', schema: AccountChange },
  success: { 200: AccountOut },
  errors: [accountNotFound],
  uses: UPDATE_ACCOUNT,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, role, params, body } = request;
    return answerWrite(
      request,
      (by) => update(stores, { ...by, role }, params.name, body),
      (account: AccountRecord) => ({
        status: 200,
        body: accountOut(account),
        distrust: { members: { org: org.id, principals: [account.id] } },
      }),
    );
  },
});
