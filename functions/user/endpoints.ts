import { endpointGroup } from '#shared/http/endpoint.ts';
import { endListedSession } from './end-listed-session.ts';
import { endSession } from './end-session.ts';
import { getDefaultOrg } from './get-default-org.ts';
import { getPersonalKey } from './get-key.ts';
import { getUser } from './get-user.ts';
import { issuePersonalKey } from './issue-key.ts';
import { listPersonalKeys } from './list-keys.ts';
import { listSessions } from './list-sessions.ts';
import { revokePersonalKey } from './revoke-key.ts';
import { rotatePersonalKey } from './rotate-key.ts';
import { setDefaultOrg } from './set-default-org.ts';
import { startSession } from './start-session.ts';

export const userGroup = endpointGroup({
  name: 'user',
  about: 'The calling user: organizations and roles, sessions, personal keys, default organization.',
  endpoints: [
    getDefaultOrg,
    setDefaultOrg,
    issuePersonalKey,
    listPersonalKeys,
    getPersonalKey,
    rotatePersonalKey,
    revokePersonalKey,
    getUser,
    startSession,
    endSession,
    listSessions,
    endListedSession,
  ],
});
