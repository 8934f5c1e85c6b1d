import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { IssuedKeyOut, KeyRequest } from '#shared/organizations/key-forms.ts';
import { issueKey as issue } from '#shared/organizations/manage-keys.ts';
import { tooManyKeys } from '#shared/organizations/rules/sentences.ts';
import { personalKeyOwner } from './key-owner.ts';

/** POST /user/api-keys: a personal key, as those of service accounts (wire admin §7.2). */
export const issuePersonalKey = endpoint({
  operation: 'issuePersonalKey',
  method: 'POST',
  path: '/user/api-keys',
  summary: 'Issue a personal API key',
  description: 'It carries the user’s role in every organization. The secret is shown this once.',
  access: 'user',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'json', schema: KeyRequest },
  success: { 201: IssuedKeyOut },
  errors: [tooManyKeys],
  uses: { writes: ['@KEY', '@KEYS', 'AUDIT'] },
  handler: (request, services) => issue(personalKeyOwner(request, services), request.body, services),
});
