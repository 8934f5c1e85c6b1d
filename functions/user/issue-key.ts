import { IssuedKeyOut, KeyRequest, keyIssued } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ISSUE_KEY, issueKey } from '#shared/organizations/keys/issue-key.ts';
import { tooManyKeys } from '#shared/organizations/rules/sentences.ts';

/** POST /user/api-keys: issues a personal key (rules/organizations.md#key-endpoints). */
export const issuePersonalKey = endpoint({
  operation: 'issuePersonalKey',
  method: 'POST',
  path: '/user/api-keys',
  summary: 'Issue a personal API key',
  description: 'The key has the user’s role in every organization of the user. Only this answer contains the secret.',
  access: 'user',
  managesAccess: true,
  body: { kind: 'json', schema: KeyRequest },
  success: { 201: IssuedKeyOut },
  makes: { at: '/user/api-keys/{key_id}', id: 'key_id' },
  errors: [tooManyKeys],
  uses: ISSUE_KEY,
  handler: async ({ body, ...by }, stores: Pick<Stores, 'table' | 'clock'>) =>
    keyIssued(await issueKey(stores, by, body.description, body.expires_at)),
});
