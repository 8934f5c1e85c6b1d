import { describe, expect, it } from 'vitest';
import { explanationOf, isRenewalDue, onceOf, providerName } from '#console/account/model/sign-in.ts';
import { returnPath } from '#shared/console/return-path.ts';
import { problemPath, SIGN_IN_PROBLEMS } from '#shared/console/sign-in-problems.ts';

it.each(SIGN_IN_PROBLEMS)('the problem %s is explained with what to do', (problem) => {
  const { sentence, remedy } = explanationOf(problem);
  for (const text of [sentence, remedy]) expect(text).toMatch(/^[A-Z].*\.$/);
});

it.each([
  ['expired', '/', undefined, '/-/sign-in?problem=expired'],
  ['token_refused', '/demo?a=b', 'aud', '/-/sign-in?problem=token_refused&reason=aud&next=%2Fdemo%3Fa%3Db'],
  ['refused_by_provider', '/', 'Call 555-1234 now', '/-/sign-in?problem=refused_by_provider'],
] as const)('the page of the problem %s', (problem, next, reason, path) => {
  expect(problemPath(problem, next, reason)).toBe(path);
});

it.each([
  ['https://login.example.com/tenant', 'login.example.com'],
  ['http://127.0.0.1:9', '127.0.0.1:9'],
  ['x', 'x'],
])('the provider %s is named %s', (issuer, name) => {
  expect(providerName(issuer)).toBe(name);
});

it.each([
  ['a session of a sign-in with less than half an hour left', {}, 0, true],
  ['one with more time left', { expires_at: 12_000 }, 0, false],
  ['one that was tried a moment ago', {}, 9_900, false],
  ['one that was tried five minutes ago', {}, 9_700, true],
  ['a session of a key', { api_key_id: 'k' }, 0, false],
  ['an API key', { kind: 'api_key', api_key_id: 'k' }, 0, false],
])('the renewal of %s', (_, more, triedAt, isDue) => {
  const credential = { kind: 'session', api_key_id: null, expires_at: 11_799, ...more };
  expect(isRenewalDue(credential, 10_000, triedAt)).toBe(isDue);
});

describe('the address after signing in', () => {
  it.each(['/demo', '/demo/flows/web/trails/1?tab=events', '/-/account', '/demo/environments/prod/'])(
    'may be %s',
    (path) => {
      expect(returnPath(path)).toBe(path);
    },
  );

  it.each([
    undefined,
    '',
    'demo',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/api/v2/user',
    '/%',
    '/a/b/c/d',
    '/\t/flows',
    '/\n/flows',
    '/demo/flows\r\nset-cookie: a=b',
    '/demo/flows/ü',
    `/demo/flows/${'x'.repeat(1024)}`,
  ])('is the first page instead of %s', (path) => {
    expect(returnPath(path)).toBe('/');
  });
});

it('a one-time token is read from the fragment', () => {
  expect(onceOf('#once=abc_-1')).toBe('abc_-1');
  expect(onceOf('')).toBeNull();
});
