import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { AccountRecord, readAccountItems } from '#shared/organizations/records/service-accounts.ts';
import { AccountOut, accountOut, unreadableAccount } from './account-output.ts';

/** GET /service-accounts/{org}: all service accounts, sorted by name (rules/organizations.md#account-endpoints). */
export const listAccounts = endpoint({
  operation: 'listServiceAccounts',
  method: 'GET',
  path: '/service-accounts/{org}',
  summary: 'List service accounts',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(AccountOut) },
  errors: [],
  handler: async (request, { table }) => {
    const items = await readAccountItems(table, request.org.id);
    const body = items.map((item) => {
      const { data, error } = AccountRecord.safeParse(item);
      if (data) return accountOut(data);
      noteUnreadable('service-accounts', request, `service account ${item.sk}`, error);
      return unreadableAccount(item.sk);
    });
    return { status: 200, body };
  },
});
