import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import {
  DELETE_ACCOUNT,
  type DeletedAccount,
  deleteAccount as remove,
} from '#shared/organizations/accounts/change-account.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';

/** DELETE /service-accounts/{org}/{name}: revokes all keys, then removes the account (rules/organizations.md#deleting-an-account). */
export const deleteAccount = endpoint({
  operation: 'deleteServiceAccount',
  method: 'DELETE',
  path: '/service-accounts/{org}/{name}',
  summary: 'Delete a service account and its API keys',
  description: 'The name is free again.',
  access: 'snapshotter',
  managesAccess: true,
  success: { 200: z.literal('OK') },
  errors: [accountNotFound],
  uses: DELETE_ACCOUNT,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { org, role, params } = request;
    return answerWrite(
      request,
      (by) => remove(stores, { ...by, role }, params.name),
      ({ id, keys }: DeletedAccount) => ({
        ...ok(200),
        distrust: { keys, members: { org: org.id, principals: [id] } },
      }),
    );
  },
});
