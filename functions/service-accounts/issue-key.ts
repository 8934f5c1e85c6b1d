import { IssuedKeyOut, KeyRequest, keyIssued } from '#functions/forms/key-forms.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ISSUE_ACCOUNT_KEY, issueKey as issue } from '#shared/organizations/keys/issue-key.ts';
import { accountNotFound, tooManyKeys } from '#shared/organizations/rules/sentences.ts';

/** POST …/api-keys: issues a key of a service account (rules/organizations.md#key-endpoints). */
export const issueKey = endpoint({
  operation: 'issueServiceAccountKey',
  method: 'POST',
  path: '/service-accounts/{org}/{name}/api-keys',
  summary: 'Issue an API key of a service account',
  description: 'Only this answer contains the secret.',
  access: 'snapshotter',
  managesAccess: true,
  body: { kind: 'json', schema: KeyRequest },
  success: { 201: IssuedKeyOut },
  makes: { at: '/service-accounts/{org}/{name}/api-keys/{key_id}', id: 'key_id' },
  errors: [accountNotFound, tooManyKeys],
  uses: ISSUE_ACCOUNT_KEY,
  handler: (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { body, params, role, credential } = request;
    return answerWrite(
      request,
      (by) => issue(stores, { ...by, role, credential, account: params.name }, body.description, body.expires_at),
      keyIssued,
    );
  },
});
