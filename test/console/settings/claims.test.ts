import { expect, it } from 'vitest';
import { claimsProblem, claimsText, readClaims } from '#console/settings/claims.ts';

it('claims are typed one pattern per line, and read back', () => {
  const claims = { repository: ['acme/*'], job_workflow_ref: ['acme/ci/a.yml@refs/heads/main', 'acme/ci/b.yml@v1'] };
  expect(readClaims(claimsText(claims))).toEqual(claims);
  expect(readClaims(' sub=repo:acme/web:ref=x \n\n')).toEqual({ sub: ['repo:acme/web:ref=x'] });
});

it('a claim that is named like a part of objects stays a claim', () => {
  expect(Object.keys(readClaims('__proto__ = x'))).toEqual(['__proto__']);
});

it('a line without = is a problem of the field', () => {
  expect(claimsProblem('repository acme/web')).toBe('Write «claim = pattern». This line has no =: repository acme/web');
  expect(claimsProblem('repository = acme/web')).toBeUndefined();
});
