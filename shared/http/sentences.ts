import { sentence } from '#shared/base/errors.ts';

/** The fixed error sentences of every endpoint, word for word. The caller of a sentence fills its blanks in braces. */

// rules/requests.md#fixed-sentences
export const authenticationRequired = sentence('unauthenticated', 'Authentication required');
export const invalidKey = sentence('unauthenticated', 'Invalid or expired API key');
export const invalidSession = sentence('unauthenticated', 'Invalid or expired session. Sign in again');
export const tokenRefused = sentence('unauthenticated', 'The access token is refused. {why}');
export const personUnknown = sentence(
  'refused',
  'Nobody has signed in to this service with the account of this access token. Sign in once in a browser, at {address}',
);
export const severalSessions = sentence(
  'unauthenticated',
  "The request has several cookies '{name}'. Delete the cookies of this site and sign in again",
);
export const otherSite = sentence(
  'refused',
  'A session cookie is accepted only from pages of this service. Send an API key in the Authorization header instead',
);
export const csrfTokenNeeded = sentence(
  'refused',
  'Changes with a session need its token in the header X-CSRF-Token. Sign in again to get one',
);
/** A key that ends in minutes must not be the way to access that stays (rules/organizations.md#managing-access). */
export const exchangedKeyManagesNoAccess = sentence(
  'refused',
  'A key that was exchanged for a token manages no people, service accounts, keys, trusts, sign-in rules, features or secrets. Send another API key',
);
/** Groups and addresses are proved at a sign-in only. What such a person made would outlive them. */
export const ruleManagesNoAccess = sentence(
  'refused',
  'Your access comes from a sign-in rule, so you manage no people, service accounts, keys, trusts, sign-in rules, features or secrets. Ask an admin who is a member to do this, or to make you a member',
);
export const featureOff = sentence('refused', 'Forbidden');
export const notFound = sentence('not-found', 'Not Found');
export const busy = sentence('busy', 'Service unavailable');
export const conflict = sentence('contended', 'Another request is changing this resource. Try again');
export const internal = sentence('broken', 'Internal server error');
/** A fault whose text the caller is shown (rules/log.md#records-that-are-gone). */
export const recordMissing = sentence('broken', '{problem}');
export const idempotencyMismatch = sentence(
  'invalid',
  'This Idempotency-Key was used with another request body in the last 24 hours',
  { errors: { 'Idempotency-Key': 'Should be a new key for a new request' } },
);

export const inlineFileTooLarge = sentence(
  'too-large',
  'Request too large. Upload files above 4 MB with POST /attachments/{org} and name them in attachments',
);
export const attachmentTooLarge = sentence('too-large', 'An attachment may have at most 10 MB (10485760 bytes)');
