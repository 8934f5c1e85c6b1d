import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { readAccount } from '#shared/organizations/records/service-accounts.ts';
import { readTrust } from '#shared/organizations/records/trusts.ts';
import { trustNotFound } from '#shared/organizations/rules/sentences.ts';
import { TrustOut, trustOut } from './trust-forms.ts';

/** GET /trusts/{org}/{name}: one trust (rules/identities.md#trusts). */
export const getTrust = endpoint({
  operation: 'getTrust',
  method: 'GET',
  path: '/trusts/{org}/{name}',
  summary: 'Get a trust',
  access: 'admin',
  params: z.object({ org: z.string(), name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: TrustOut },
  errors: [trustNotFound],
  handler: async ({ params, org }, { table }) => {
    const trust = await readTrust(table, org.id, params.name);
    if (!trust) throw trustNotFound();
    return { status: 200, body: trustOut(trust, await readAccount(table, org.id, trust.account.name)) };
  },
});
