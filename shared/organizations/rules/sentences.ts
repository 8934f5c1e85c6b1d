import { sentence } from '#shared/base/errors.ts';

// The sentences of rules/organizations.md#sentences-of-organizations.
export const accountNotFound = sentence('not-found', 'Service account not found');
export const keyNotFound = sentence('not-found', 'API key not found');
export const sessionNotFound = sentence('not-found', 'Session not found');
export const noSession = sentence(
  'not-found',
  'This request has no session. Only a request with the cookie of a session has one',
);
export const keyNeeded = sentence(
  'refused',
  'A session cannot start another session. Send an API key in the Authorization header',
);
export const replacedSecret = sentence(
  'refused',
  'A rotation replaced this secret. Start the session with the new secret of the API key',
);
export const personalOrganization = sentence(
  'invalid',
  "'{org}' is a personal organization: only shared organizations have service accounts",
);
export const tooManyKeys = sentence(
  'invalid',
  'There are {count} active API keys, the most there can be. Delete one first',
);
export const accessDenied = sentence('refused', 'Access denied to {path}');
export const userNotFound = sentence('not-found', 'User not found');
export const lastAdmin = sentence('invalid', "'{user}' is the last admin of organization '{org}', which needs one");
export const ownerOfPersonal = sentence('invalid', "'{user}' stays admin of the personal organization '{org}'");
export const offerNotFound = sentence(
  'not-found',
  'The organization offers you nothing, or does not exist. `GET /user` lists what you are offered',
);
export const tooManyInvitations = sentence(
  'invalid',
  'There are {count} open invitations, the most there can be. Withdraw one first',
);
export const trustNotFound = sentence('not-found', 'Trust not found');
export const tooManyTrusts = sentence('invalid', 'There are {count} trusts, the most there can be. Delete one first');
export const tooManyOfIssuer = sentence(
  'invalid',
  'There are {count} trusts of this issuer, the most there can be. List several values in the claims of one trust, or delete one first',
);
// Refusals of tokens (rules/identities.md#refusals).
/** The one sentence for everything that a stranger can send: it says nothing about organization, issuer and trusts. */
export const noTrust = sentence(
  'invalid',
  'No trust of the organization accepts this token. The audit log of the organization says why; its administrators can read it',
);
export const tokenUsed = sentence(
  'invalid',
  'The token was exchanged before, and a token is exchanged once. Ask the issuer for a new token',
);
export const accountGone = sentence(
  'invalid',
  'The service account of the trust does not exist any more. An administrator saves the trust again',
);
export const accountIsAdmin = sentence(
  'invalid',
  'The service account of the trust is admin, and pipelines may not act as an admin. An administrator gives the account a lower privilege, or saves the trust with another service account',
);
export const claimTooLong = sentence('invalid', "The claim '{claim}' of the token has more than 1024 characters");
export const refusedToken = sentence('invalid', 'The token is refused: {why}');
