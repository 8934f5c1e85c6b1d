import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/organizations.md#sentences-of-organizations.
export const accountNotFound = sentence(404, 'Service account not found');
export const keyNotFound = sentence(404, 'API key not found');
export const sessionNotFound = sentence(404, 'Session not found');
export const noSession = sentence(
  404,
  'This request has no session. Only a request with the cookie of a session has one',
);
export const keyNeeded = sentence(
  403,
  'A session cannot start another session. Send an API key in the Authorization header',
);
export const replacedSecret = sentence(
  403,
  'A rotation replaced this secret. Start the session with the new secret of the API key',
);
export const personalOrganization = sentence(
  400,
  "'{org}' is a personal organization: only shared organizations have service accounts",
);
export const tooManyKeys = sentence(400, 'There are {count} active API keys, the most there can be. Delete one first');
export const accessDenied = sentence(403, 'Access denied to {path}');
export const userNotFound = sentence(404, 'User not found');
export const lastAdmin = sentence(400, "'{user}' is the last admin of organization '{org}', which needs one");
export const ownerOfPersonal = sentence(400, "'{user}' stays admin of the personal organization '{org}'");
