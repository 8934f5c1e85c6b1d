import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { CREATE_ACCOUNT, createAccount as create } from '#shared/organizations/accounts/change-account.ts';
import { AccountName, type AccountRecord } from '#shared/organizations/accounts/read-accounts.ts';
import { personalOrganization } from '#shared/organizations/rules/sentences.ts';
import { AccountOut, accountOut, Description, Privilege } from './account-output.ts';

const AccountRequest = z
  .object({
    name: AccountName.describe('Name of the service account'),
    privilege: Privilege.describe('Role of the service account in the organization'),
    description: Description.nullish().describe('A text for people'),
  })
  .meta({ id: 'ServiceAccountRequest' });

/** POST /service-accounts/{org}: creates a service account (rules/organizations.md#account-endpoints). */
export const createAccount = endpoint({
  operation: 'createServiceAccount',
  method: 'POST',
  path: '/service-accounts/{org}',
  summary: 'Create a service account',
  description: 'The privilege may not exceed the caller’s role. Personal organizations have no service accounts.',
  access: 'snapshotter',
  managesAccess: true,
  body: { kind: 'json', schema: AccountRequest },
  success: { 201: AccountOut },
  makes: { at: '/service-accounts/{org}/{name}', id: 'name' },
  errors: [personalOrganization],
  uses: CREATE_ACCOUNT,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { role, body } = request;
    const { name, privilege, description = null } = body;
    return answerWrite(
      request,
      (by) => create(stores, { ...by, role }, { name, privilege, description }),
      (account: AccountRecord) => ({ status: 201, body: accountOut(account), made: { name } }),
    );
  },
});
