import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { getDefaultOrg } from './get-default-org.ts';
import { getPersonalKey } from './get-key.ts';
import { issuePersonalKey } from './issue-key.ts';
import { listPersonalKeys } from './list-keys.ts';
import { revokePersonalKey } from './revoke-key.ts';
import { rotatePersonalKey } from './rotate-key.ts';
import { setDefaultOrg } from './set-default-org.ts';

export const userGroup: EndpointGroup = {
  name: 'user',
  about: 'The calling user: personal keys, default organization.',
  endpoints: [
    getDefaultOrg,
    setDefaultOrg,
    issuePersonalKey,
    listPersonalKeys,
    getPersonalKey,
    rotatePersonalKey,
    revokePersonalKey,
  ],
};
