import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { IssuedKeyOut, KeyRequest } from '#shared/organizations/key-forms.ts';
import { issueKey as issue } from '#shared/organizations/manage-keys.ts';
import { tooManyKeys } from '#shared/organizations/rules/sentences.ts';
import { personalKeyOwner } from './key-owner.ts';

/** POST /user/api-keys: issues a personal key (rules/organizations.md#key-endpoints). */
export const issuePersonalKey = endpoint({
  operation: 'issuePersonalKey',
  method: 'POST',
  path: '/user/api-keys',
  summary: 'Issue a personal API key',
  description: 'The key has the user’s role in every organization of the user. Only this answer contains the secret.',
  access: 'user',
  managesAccess: true,
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'json', schema: KeyRequest },
  success: { 201: IssuedKeyOut },
  makes: { at: '/user/api-keys/{key_id}', id: 'key_id' },
  errors: [tooManyKeys],
  uses: { writes: ['@KEY', '@KEYS', 'AUDIT'] },
  handler: (request, services) => issue(personalKeyOwner(request, services), request.body, services),
});
