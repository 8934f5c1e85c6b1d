import { describe, expect, it, test } from 'vitest';
import { ALIASES, findPage, PAGES, pageUrl } from '#shared/console/pages.ts';

const ID = '0f2ea3f6-c0b8-e1f6-d8f0-a2c4e6a8c0e2';
const FINGERPRINT = '4f7ea4f0'.repeat(8);

/** An address that fits a pattern. */
const exampleOf = (pattern: string) => {
  const filled = pattern.replace(/\{\w+:digits\}/, '12').replace(/\{(\w+)\+\}/, 'group/$1');
  return filled.replaceAll(/\{(\w+)\}/g, '$1');
};

describe('the page of an address', () => {
  it.each(Object.entries(PAGES))('is found for the pattern %s', (pattern, name) => {
    expect(findPage(exampleOf(pattern))).toMatchObject({ name, pattern });
  });

  it.each(Object.entries(ALIASES))('is found for the alias %s', (alias, pattern) => {
    expect(findPage(exampleOf(alias))).toMatchObject({ name: PAGES[pattern], pattern });
  });

  it.each([
    ['/demo', 'home', { org: 'demo' }],
    ['/demo/flows/web/trails/v1.2~rc', 'trail', { org: 'demo', flow: 'web', trail: 'v1.2~rc' }],
    [`/demo/flows/web/artifacts/${FINGERPRINT}`, 'artifact', { org: 'demo', flow: 'web', fingerprint: FINGERPRINT }],
    ['/demo/environments/prod/', 'environment', { org: 'demo', env: 'prod' }],
    ['/demo/environments/prod/12', 'snapshot', { org: 'demo', env: 'prod', expression: '12' }],
    ['/demo/environments/prod/snapshots/-1', 'snapshot', { org: 'demo', env: 'prod', expression: '-1' }],
    ['/demo/environments/prod/snapshots/@{2026-11-01}', 'snapshot', { expression: '@{2026-11-01}' }],
    ['/demo/repos/acme/web', 'repo', { org: 'demo', repo: 'acme/web' }],
    [`/demo/evaluations/${ID}`, 'evaluation', { org: 'demo', evaluation: ID }],
  ])('%s has the name and the values of its parameters', (path, name, params) => {
    expect(findPage(path)).toMatchObject({ name, params });
  });

  it.each([
    ...['', '//', '/-', '/-/', '/-/nothing', '/_demo', '/~demo', '/api', '/api/v2', '/api/flows', '/ready'],
    ...['/demo/', '/demo/nothing', '/demo/flows/', '/demo/flows/web/', '/demo/flows/web/nothing/x'],
    ...['/demo/environments/prod/v12', '/demo/environments/prod/12/', '/demo/environments//12', '/demo/repos/'],
    ...['/demo/repos//x', '/demo/controls/C-1/nothing', '/demo/flows/web/trails/v1/more', '/-/account/x'],
  ])('%j is not found', (path) => {
    expect(findPage(path)).toBeUndefined();
  });
});

describe('the address of a page', () => {
  const at = { host: 'https://evidence.example', org: { name: 'demo' } };

  it('has the values of its names, encoded', () => {
    expect(pageUrl(at, '/{org}', {})).toBe('https://evidence.example/demo');
    expect(pageUrl(at, '/{org}/flows/{flow}/trails/{trail}', { flow: 'web', trail: 'v1~2' })).toBe(
      'https://evidence.example/demo/flows/web/trails/v1~2',
    );
    expect(pageUrl(at, '/{org}/policies/{policy}', { policy: 'a b/c?d' })).toBe(
      'https://evidence.example/demo/policies/a%20b/c%3Fd',
    );
    expect(pageUrl(at, '/{org}/repos/{repo+}', { repo: 'team/web #1' })).toBe(
      'https://evidence.example/demo/repos/team/web%20%231',
    );
  });
});

test('the patterns of pages have no two parameters of one name, and one page has one pattern', () => {
  for (const pattern of Object.keys(PAGES)) {
    const names = [...pattern.matchAll(/\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(new Set(Object.values(PAGES)).size).toBe(Object.keys(PAGES).length);
});
