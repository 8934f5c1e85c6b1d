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
export const offerNotFound = sentence(
  404,
  'The organization offers you nothing, or does not exist. `GET /user` lists what you are offered',
);
export const tooManyInvitations = sentence(
  400,
  'There are {count} open invitations, the most there can be. Withdraw one first',
);
export const trustNotFound = sentence(404, 'Trust not found');
export const tooManyTrusts = sentence(400, 'There are {count} trusts, the most there can be. Delete one first');
export const tooManyOfIssuer = sentence(
  400,
  'There are {count} trusts of this issuer, the most there can be. List several values in the claims of one trust, or delete one first',
);
// Refusals of tokens (rules/identities.md#refusals).
/** The one sentence for everything that a stranger can send: it says nothing about organization, issuer and trusts. */
export const noTrust = sentence(
  400,
  'No trust of the organization accepts this token. The audit log of the organization says why; its administrators can read it',
);
export const tokenUsed = sentence(
  400,
  'The token was exchanged before, and a token is exchanged once. Ask the issuer for a new token',
);
export const accountGone = sentence(
  400,
  'The service account of the trust does not exist any more. An administrator saves the trust again',
);
export const accountIsAdmin = sentence(
  400,
  'The service account of the trust is admin, and pipelines may not act as an admin. An administrator gives the account a lower privilege, or saves the trust with another service account',
);
export const claimTooLong = sentence(400, "The claim '{claim}' of the token has more than 1024 characters");
export const refusedToken = sentence(400, 'The token is refused: {why}');
