import { describe, expect, it } from 'vitest';
import {
  newUserName,
  personOf,
  readSignInCookie,
  signInCookieValue,
  signInValues,
  wrongClaim,
} from '#shared/organizations/rules/sign-in.ts';
import { ruleFor, type SignInRule } from '#shared/organizations/rules/sign-in-rules.ts';

const SECRET = 's'.repeat(43);
const TOKEN = { iss: 'https://login.example', sub: '1' };

it('the values of a sign-in differ, belong to the secret, and do not contain it', () => {
  const values = Object.values(signInValues(SECRET));
  expect(new Set([...values, ...Object.values(signInValues('t'.repeat(43)))]).size).toBe(8);
  expect(Object.values(signInValues(SECRET))).toEqual(values);
  for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
  expect(values).not.toContain(SECRET);
});

it.each([undefined, '', 'x', SECRET, `${SECRET}x.`, `${SECRET}.a b`, `${SECRET}.a.b`])(
  '%s is no cookie of a sign-in',
  (value) => {
    expect(readSignInCookie(value)).toBeUndefined();
  },
);

it('the cookie of a sign-in keeps the page', () => {
  expect(readSignInCookie(signInCookieValue(SECRET, '/a?b=ü'))).toEqual({ secret: SECRET, next: '/a?b=ü' });
});

it.each([
  [{ aud: 'me', nonce: 'n' }, undefined],
  [{ aud: ['me'], nonce: 'n' }, undefined],
  [{ aud: ['me', 'other'], azp: 'me', nonce: 'n' }, undefined],
  [{ aud: ['me', 'other'], nonce: 'n' }, 'azp'],
  [{ aud: 'me', azp: 'other', nonce: 'n' }, 'azp'],
  [{ aud: 'Me', nonce: 'n' }, 'aud'],
  [{ aud: [], nonce: 'n' }, 'aud'],
  [{ nonce: 'n' }, 'aud'],
  [{ aud: 'me', nonce: 'N' }, 'nonce'],
  [{ aud: 'me' }, 'nonce'],
])('the wrong one of the claims %o is %s', (claims, wrong) => {
  expect(wrongClaim({ ...TOKEN, ...claims }, { clientId: 'me', nonce: 'n' })).toBe(wrong);
});

describe('what rules know of a person', () => {
  const settings = { groupsClaim: 'roles', rules: ['domain', 'group'] as const };
  const token = { ...TOKEN, email: 'Ann@Example.com', email_verified: true, roles: ['a', 'a', '', 7, 'x'.repeat(257)] };

  it('is the domain of the verified address and the groups', () => {
    const person = personOf(token, settings);
    expect(person).toMatchObject({ email: 'ann@example.com', claims: { domain: 'example.com', groups: ['a'] } });
  });

  it('is nothing that the stage does not allow', () => {
    expect(personOf(token, { ...settings, rules: [] }).claims).toEqual({ groups: [] });
    expect(personOf(token, { ...settings, rules: ['group'] }).claims).toEqual({ groups: ['a'] });
    const many = Array.from({ length: 300 }, (_, i) => `g${i}`);
    expect(personOf({ ...token, roles: many }, settings).claims.groups).toHaveLength(200);
  });
});

it.each([
  ['ann@example.com', '', 'ann~example.com'],
  ["_o'neil+x@example.com", '-a1', 'o-neil-x~example.com-a1'],
  [undefined, '-a1', 'person-a1'],
  [`${'x'.repeat(64)}@${'y'.repeat(63)}.example`, '-a1', `${'x'.repeat(64)}~${'y'.repeat(35)}-a1`],
])('the name of a new user with the address %s', (email, suffix, name) => {
  expect(newUserName({ email }, suffix)).toBe(name);
});

it.each<[readonly SignInRule[], string | undefined]>([
  [[], undefined],
  [[{ domain: 'example.com', role: 'reader' }], 'reader'],
  [[{ domain: 'sub.example.com', role: 'reader' }], undefined],
  [[{ domain: 'com', role: 'reader' }], undefined],
  [[{ group: 'ops', role: 'admin' }], 'admin'],
  [[{ group: 'OPS', role: 'admin' }], undefined],
  [[{ group: 'example.com', role: 'admin' }], undefined],
  [
    [
      { domain: 'example.com', role: 'reader' },
      { group: 'ops', role: 'member' },
    ],
    'member',
  ],
])('the rules %o give the role %s', (rules, role) => {
  const signInGrants = { domains: ['example.com', 'other.com'], groups: ['ops', 'dev', 'qa'] };
  const claims = { domain: 'example.com', groups: ['ops', 'dev'] };
  expect(ruleFor({ signInRules: rules, signInGrants }, claims)?.role).toBe(role);
  expect(ruleFor({ signInRules: rules, signInGrants }, { groups: [] })).toBeUndefined();
  expect(ruleFor({ signInRules: rules, signInGrants }, undefined)).toBeUndefined();
  for (const grants of [undefined, { domains: [], groups: [] }, { domains: ['ops'], groups: ['example.com'] }]) {
    expect(ruleFor({ signInRules: rules, signInGrants: grants }, claims)).toBeUndefined();
  }
});

it('a rule counts only as far as it is granted', () => {
  const signInRules: SignInRule[] = [
    { domain: 'example.com', role: 'reader' },
    { group: 'ops', role: 'admin' },
  ];
  const claims = { domain: 'example.com', groups: ['ops'] };
  const roleWith = (signInGrants: { domains: string[]; groups: string[] }) =>
    ruleFor({ signInRules, signInGrants }, claims)?.role;
  expect(roleWith({ domains: ['example.com'], groups: [] })).toBe('reader');
  expect(roleWith({ domains: [], groups: ['ops'] })).toBe('admin');
});
