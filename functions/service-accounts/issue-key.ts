import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { IssuedKeyOut, KeyRequest } from '#shared/organizations/key-forms.ts';
import { issueKey as issue } from '#shared/organizations/manage-keys.ts';
import { accountNotFound, tooManyKeys } from '#shared/organizations/rules/sentences.ts';
import { accountParams, keyOwner } from './managed-account.ts';

/** POST …/api-keys: issues a key of a service account (rules/organizations.md#key-endpoints). */
export const issueKey = endpoint({
  operation: 'issueServiceAccountKey',
  method: 'POST',
  path: '/service-accounts/{org}/{name}/api-keys',
  summary: 'Issue an API key of a service account',
  description: 'Only this answer contains the secret.',
  access: 'snapshotter',
  managesAccess: true,
  params: z.object(accountParams),
  query: z.object({}),
  body: { kind: 'json', schema: KeyRequest },
  success: { 201: IssuedKeyOut },
  makes: { at: '/service-accounts/{org}/{name}/api-keys/{key_id}', id: 'key_id' },
  errors: [accountNotFound, tooManyKeys],
  uses: { writes: ['@KEY', '@KEYS', 'ACCOUNT', 'AUDIT'] },
  handler: (request, services) =>
    issue(keyOwner(request, services.table, { givesSecret: true }), request.body, services),
});
