import { createHash, createHmac } from 'node:crypto';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';

/** Rules of the sign-in of people: what travels, and what the provider's token says about a person (rules/sign-in.md). */

/** The values of one sign-in. All of them derive from the secret in the cookie, so nothing has to be stored. */
interface SignInValues {
  /** Comes back with the provider's answer, which so belongs to a sign-in of the same browser. */
  state: string;
  /** Comes back in the token, which so belongs to this sign-in. */
  nonce: string;
  /** Proves to the provider that the exchange of the code comes from the same sign-in (PKCE, RFC 7636). */
  verifier: string;
  challenge: string;
}

/** @param secret 256 random bits, which only the browser keeps */
export function signInValues(secret: string): SignInValues {
  const derived = (name: string) => createHmac('sha256', secret).update(name).digest('base64url');
  const verifier = derived('verifier');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier, challenge };
}

/** Returns the value of the cookie that keeps a sign-in in the browser. */
export const signInCookieValue = (secret: string, next: string): string =>
  `${secret}.${Buffer.from(next).toString('base64url')}`;

const COOKIE = /^([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]*)$/;

/** Reads the cookie of a sign-in; undefined if it has another form. The caller checks the path again. */
export function readSignInCookie(value: string | undefined): { secret: string; next: string } | undefined {
  const [, secret, next = ''] = COOKIE.exec(value ?? '') ?? [];
  return secret === undefined ? undefined : { secret, next: Buffer.from(next, 'base64url').toString() };
}

/** The claims of a token whose signature, issuer and times were verified. */
type IdTokenClaims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

/**
 * Compares the claims that bind a token to this service and to this sign-in.
 *
 * @returns the name of the claim that does not fit
 */
export function wrongClaim(
  { azp, nonce, ...claims }: IdTokenClaims,
  expected: { clientId: string; nonce: string },
): 'aud' | 'azp' | 'nonce' | undefined {
  const audiences = audiencesOf(claims);
  if (!audiences.includes(expected.clientId)) return 'aud';
  // A token for several audiences has to say which of them asked for it (OpenID Connect Core 3.1.3.7).
  const isForOther = azp !== undefined && azp !== expected.clientId;
  if (isForOther || (audiences.length > 1 && azp === undefined)) return 'azp';
  return nonce === expected.nonce ? undefined : 'nonce';
}

/** Returns whom a token is for: its claim `aud`, which is one text or several. */
export const audiencesOf = ({ aud }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(aud) ? aud : [aud];

/** A person as the provider describes them. */
export interface Person {
  issuer: string;
  subject: string;
  /** Verified e-mail address in lower case. */
  email?: string | undefined;
  /** Whether the provider sent an address that it did not verify, or that is no plain address. */
  hasOtherEmail: boolean;
  claims: SignInClaims;
}

export const RULE_KINDS = ['domain', 'group'] as const;

interface ClaimSettings {
  /** Name of the claim with the groups of a person. */
  groupsClaim: string;
  /** The kinds of rules that organizations may use. */
  rules: readonly (typeof RULE_KINDS)[number][];
}

const MOST_GROUPS = 200;
/** The longest name of a group. */
export const LONGEST_GROUP = 256;
const LONGEST_EMAIL = 254;
/**
 * An address of plain ASCII. Letters outside of ASCII are refused before the address becomes lower case, because some of
 * them become ASCII then: the Kelvin sign becomes `k`.
 */
const EMAIL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@((?:[a-zA-Z0-9-]+\.)+[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9])$/;

/** Returns an address in lower case, which is how addresses are compared; undefined for everything but a plain address. */
export const plainEmail = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= LONGEST_EMAIL && EMAIL.test(text) ? text.toLowerCase() : undefined;

/** Reads who a person is, and what rules may know. Only an address that the provider verified counts. */
export function personOf(token: IdTokenClaims, { groupsClaim, rules }: ClaimSettings): Person {
  const email = token['email_verified'] === true ? plainEmail(token['email']) : undefined;
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  return {
    issuer: token.iss,
    subject: token.sub,
    email,
    hasOtherEmail: email === undefined && token['email'] !== undefined,
    claims: {
      ...(domain !== undefined && rules.includes('domain') && { domain }),
      groups: rules.includes('group') ? groupsOf(token[groupsClaim]) : [],
    },
  };
}

function groupsOf(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  const groups = values.filter(
    (group): group is string => typeof group === 'string' && group !== '' && group.length <= LONGEST_GROUP,
  );
  return [...new Set(groups)].slice(0, MOST_GROUPS);
}

/** Names of users have at most 128 characters; the rest is for the suffix. */
const LONGEST_NAME = 100;

/**
 * Returns the name of a new user who gets in by a rule: `ann~example.com`. It contains the domain, so that nobody takes the
 * short name of a user whom the operator makes or means.
 *
 * @param suffix makes the name unique if another user has it
 */
export function newUserName({ email }: Pick<Person, 'email'>, suffix = ''): string {
  const name = (email ?? 'person').replace('@', '~').replace(/[^a-z0-9\-_.~]/g, '-');
  return name.replace(/^[^a-z0-9]+/, '').slice(0, LONGEST_NAME) + suffix;
}

/** Returns what is stored of a subject: subjects are unique only together with their issuer. */
export const subjectHash = ({ issuer, subject }: Pick<Person, 'issuer' | 'subject'>): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
