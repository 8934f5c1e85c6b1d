import type { joinOrganization as join } from '#functions/organizations/join-organization.ts';
import type { leaveOrganization as leave } from '#functions/organizations/leave-organization.ts';
import type { listMembers } from '#functions/organizations/list-members.ts';
import type { putMember as put } from '#functions/organizations/put-member.ts';
import type { removeMember as remove } from '#functions/organizations/remove-member.ts';
import type { createAccount as create } from '#functions/service-accounts/create-account.ts';
import type { deleteAccount as del } from '#functions/service-accounts/delete-account.ts';
import type { getAccount } from '#functions/service-accounts/get-account.ts';
import type { issueKey as issueForAccount } from '#functions/service-accounts/issue-key.ts';
import type { listAccounts } from '#functions/service-accounts/list-accounts.ts';
import type { listKeys } from '#functions/service-accounts/list-keys.ts';
import type { revokeKey as revokeOfAccount } from '#functions/service-accounts/revoke-key.ts';
import type { rotateKey as rotateOfAccount } from '#functions/service-accounts/rotate-key.ts';
import type { updateAccount as update } from '#functions/service-accounts/update-account.ts';
import type { getUser } from '#functions/user/get-user.ts';
import type { issuePersonalKey } from '#functions/user/issue-key.ts';
import type { listPersonalKeys } from '#functions/user/list-keys.ts';
import type { revokePersonalKey } from '#functions/user/revoke-key.ts';
import type { rotatePersonalKey } from '#functions/user/rotate-key.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

export const members = operation<typeof listMembers>()('GET', '/organizations/{org}/members', 'reader');
export const accounts = operation<typeof listAccounts>()('GET', '/service-accounts/{org}', 'reader');
export const account = operation<typeof getAccount>()('GET', '/service-accounts/{org}/{name}', 'reader');
export const accountKeys = operation<typeof listKeys>()('GET', '/service-accounts/{org}/{name}/api-keys', 'reader');
export const issueAccountKey = operation<typeof issueForAccount>()(
  'POST',
  '/service-accounts/{org}/{name}/api-keys',
  'snapshotter',
);
export const rotateAccountKey = operation<typeof rotateOfAccount>()(
  'POST',
  '/service-accounts/{org}/{name}/api-keys/{key_id}/rotate',
  'snapshotter',
);
export const revokeAccountKey = operation<typeof revokeOfAccount>()(
  'DELETE',
  '/service-accounts/{org}/{name}/api-keys/{key_id}',
  'snapshotter',
);
export const ownKeys = operation<typeof listPersonalKeys>()('GET', '/user/api-keys', 'user');
export const issueOwnKey = operation<typeof issuePersonalKey>()('POST', '/user/api-keys', 'user');
export const rotateOwnKey = operation<typeof rotatePersonalKey>()('POST', '/user/api-keys/{key_id}/rotate', 'user');
export const revokeOwnKey = operation<typeof revokePersonalKey>()('DELETE', '/user/api-keys/{key_id}', 'user');
export const putMember = operation<typeof put>()('PUT', '/organizations/{org}/members/{user}', 'admin');
export const removeMember = operation<typeof remove>()('DELETE', '/organizations/{org}/members/{user}', 'admin');
export const joinOrganization = operation<typeof join>()('PUT', '/organizations/{org}/membership', 'user');
export const leaveOrganization = operation<typeof leave>()('DELETE', '/organizations/{org}/membership', 'user');
export const createAccount = operation<typeof create>()('POST', '/service-accounts/{org}', 'snapshotter');
export const updateAccount = operation<typeof update>()('PATCH', '/service-accounts/{org}/{name}', 'snapshotter');
export const deleteAccount = operation<typeof del>()('DELETE', '/service-accounts/{org}/{name}', 'snapshotter');

export type Member = AnswerOf<typeof listMembers>[number];
export type Offer = AnswerOf<typeof getUser>['offers'][number];
/** A rule of an organization, with whether the operator grants what it names. */
export type SignInRule = NonNullable<AnswerOf<typeof getUser>['organizations'][number]['sign_in_rules']>[number];
export type Account = AnswerOf<typeof getAccount>;
export type ApiKey = AnswerOf<typeof listKeys>[number];
