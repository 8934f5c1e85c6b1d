import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { revokeAll } from '#shared/organizations/manage-keys.ts';
import { type AuditedChange, auditing, auditOf } from '#shared/organizations/records/audit.ts';
import { principalOf, removeAccount } from '#shared/organizations/records/service-accounts.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { accountParams, managedAccount } from './managed-account.ts';

/** DELETE /service-accounts/{org}/{name}: revokes all keys, then removes the account (rules/organizations.md#deleting-an-account). */
export const deleteAccount = endpoint({
  operation: 'deleteServiceAccount',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}',
  summary: 'Delete a service account and its API keys',
  description: 'The name is free again.',
  access: 'snapshotter',
  managesAccess: true,
  params: z.object(accountParams),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [accountNotFound],
  uses: { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS', 'ACCOUNT', 'MEMBER'] },
  handler: async (request, services) => {
    const { org, idempotency } = request;
    const { table, clock } = services;
    const answer = ok(200);
    const keys: string[] = [];
    const { id, outcome } = await retrying(async () => {
      const account = await managedAccount(request, table);
      const audited = (change: AuditedChange) => [auditOf(request, change)];
      // Keys come first, so that an interrupted deletion leaves an account that can be deleted again. If a key is issued
      // meanwhile, the account has another revision and the removal is retried.
      keys.push(...(await revokeAll({ principal: principalOf(org.id, account), audited }, services)));
      const removed = {
        kind: 'service_account.deleted',
        subject: { type: 'service_account', id: account.id, name: account.name },
        before: { privilege: account.privilege, description: account.description },
      } as const;
      const others = auditing(request, removed, claimWrites(idempotency, answer, clock.now()));
      const outcome = await removeAccount<EarlierRequest>(table, org.id, account, others);
      return outcome === 'again' ? outcome : { id: account.id, outcome };
    });
    return { ...written(answer, outcome), distrust: { keys, members: { org: org.id, principals: [id] } } };
  },
});
