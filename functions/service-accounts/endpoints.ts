import { endpointGroup } from '#shared/http/endpoint.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { deleteTrust } from './delete-trust.ts';
import { getAccount } from './get-account.ts';
import { getKey } from './get-key.ts';
import { getTrust } from './get-trust.ts';
import { issueKey } from './issue-key.ts';
import { listAccounts } from './list-accounts.ts';
import { listKeys } from './list-keys.ts';
import { listTrusts } from './list-trusts.ts';
import { putTrust } from './put-trust.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { updateAccount } from './update-account.ts';

export const serviceAccountsGroup = endpointGroup({
  name: 'service-accounts',
  about:
    'Service accounts for programs, their API keys, and trusts that let pipelines act as a service account without a stored key.',
  endpoints: [
    createAccount,
    listAccounts,
    getAccount,
    updateAccount,
    deleteAccount,
    issueKey,
    listKeys,
    getKey,
    rotateKey,
    revokeKey,
    putTrust,
    listTrusts,
    getTrust,
    deleteTrust,
  ],
});
