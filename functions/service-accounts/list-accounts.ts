import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { listAccounts as list } from '#shared/organizations/accounts/read-accounts.ts';
import { AccountOut, accountOut, unreadableAccount } from './account-output.ts';

/** GET /service-accounts/{org}: all service accounts, sorted by name (rules/organizations.md#account-endpoints). */
export const listAccounts = endpoint({
  operation: 'listServiceAccounts',
  method: 'GET',
  path: '/service-accounts/{org}',
  summary: 'List service accounts',
  access: 'reader',
  success: { 200: z.array(AccountOut) },
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const body = (await list(stores, request.org.id)).map((account) => {
      if (!('unreadable' in account)) return accountOut(account);
      const { name, unreadable } = account;
      logUnreadable('service-accounts', request, `service account ${name}`, unreadable);
      return unreadableAccount(name);
    });
    return { status: 200, body };
  },
});
