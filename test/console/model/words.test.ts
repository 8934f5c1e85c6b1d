import { describe, expect, it } from 'vitest';
import { addressOf } from '#console/client/operations.ts';
import { crumbsOf } from '#console/model/crumbs.ts';
import { remedyFor } from '#console/model/remedies.ts';
import {
  oneOf,
  pageNumber,
  parseSearch,
  searchFromText,
  searchToText,
  text,
  time,
} from '#console/model/search-params.ts';
import { STATES, stateOfVerdict, stateOfWord } from '#console/model/states.ts';
import { ago, asSeconds, duration, fullTime, shortTime } from '#console/model/time.ts';
import { paramsFromRoute, pathOf, routeParams, routePath } from '#console/pages/route-path.ts';
import { findPage, PAGES } from '#shared/console/pages.ts';

describe('states', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['NON_COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
    ['constructor', 'unknown'],
    [null, 'unknown'],
  ])('%s is %s', (word, state) => {
    expect(stateOfWord(word)).toBe(state);
  });

  it('an unknown verdict has not the tone of a failure', () => {
    expect([true, false, null, undefined].map((verdict) => STATES[stateOfVerdict(verdict)].tone)).toEqual([
      'good',
      'bad',
      'quiet',
      'quiet',
    ]);
  });
});

describe('times', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3 * 3600, '3 h'],
    [3 * 3600 + 120, '3 h 2 min'],
    [2 * 86_400 + 3600, '2 d 1 h'],
    [12 * 86_400, '12 d'],
  ])('%d seconds are «%s»', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });

  it.each([
    [1000, 1002, 'just now'],
    [1000, 1040, '40 s ago'],
    [1000, 1000 + 3 * 3600, '3 h ago'],
    [1000 + 300, 1000, 'in 5 min'],
    [0, 100 * 86_400, '3 months ago'],
  ])('%d seen from %d is «%s»', (at, now, words) => {
    expect(ago(at, now)).toBe(words);
  });

  it('has the year only where it is another one, and names UTC', () => {
    const at = Date.UTC(2026, 10, 22, 9, 14, 7) / 1000;
    expect(shortTime(at, at, 'utc')).toBe('22 Nov 09:14');
    expect(shortTime(at, at + 86_400 * 60, 'utc')).toBe('22 Nov 2026 09:14');
    expect(fullTime(at, 'utc')).toBe('22 Nov 2026, 09:14:07 UTC');
  });

  it('takes only numbers that are times', () => {
    expect([asSeconds(5), asSeconds('5'), asSeconds(Number.NaN), asSeconds(1e300), asSeconds(null)]).toEqual([
      5,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('parameters of an address', () => {
  it('are parsed as the page declares them, and left out if they do not fit', () => {
    const shape = { tab: oneOf('events', 'raw'), page: pageNumber, q: text, from: time };
    expect(parseSearch(shape, searchFromText('?tab=raw&page=2&q=a+b&from=2026-07-01&other=1'))).toEqual({
      tab: 'raw',
      page: 2,
      q: 'a b',
      from: 1_782_864_000,
    });
    expect(parseSearch(shape, searchFromText('?tab=x&page=0&q=&from=yesterday'))).toEqual({});
  });

  it('are written without absent values', () => {
    expect(searchToText({ page: 2, tab: undefined, q: 'a b' })).toBe('?page=2&q=a+b');
    expect(searchToText({})).toBe('');
  });
});

it('the address of an operation has its parameters encoded', () => {
  expect(
    addressOf('/trails/{org}/{flow}', { org: 'a', flow: 'b/c d' }, { page: 1, tag: ['x', 'y'], no: undefined }),
  ).toBe('/api/v2/trails/a/b%2Fc%20d?page=1&tag=x&tag=y');
  expect(addressOf('/repos/{org}/{name+}', { org: 'a', name: 'group/re po' })).toBe('/api/v2/repos/a/group/re%20po');
});

describe('routes', () => {
  it('translate patterns and values of the table of pages', () => {
    expect(routePath('trail')).toBe('/$org/flows/$flow/trails/$trail');
    expect(pathOf('/{org}/environments/{env}/{expression:digits}')).toBe('/$org/environments/$env/$expression');
    const params = { org: 'demo', repo: 'group/web' };
    expect(routePath('repo')).toBe('/$org/repos/$');
    expect(routeParams('repo', params)).toMatchObject({ org: 'demo', _splat: 'group/web' });
    expect(paramsFromRoute('repo', { org: 'demo', _splat: 'group/web' })).toEqual(params);
  });
});

describe('crumbs', () => {
  it.each(Object.values(PAGES).filter((name) => name !== 'sign-in'))('of %s lead to pages', (name) => {
    const pattern = Object.entries(PAGES).find(([, page]) => page === name)?.[0] ?? '';
    const found = findPage(pattern.replace(/\{\w+\+?\}/g, 'a1'));
    const crumbs = crumbsOf(name, found?.params ?? {});
    expect(crumbs.at(-1)?.page).toBe(name);
    expect(crumbs.every(({ label }) => label !== '')).toBe(true);
  });
});

it.each([0, 400, 401, 403, 404, 429, 500, 503])('a failure with status %d says what to do', (status) => {
  expect(remedyFor({ status, retryAfter: status === 429 ? 7 : null })).toMatch(/\.$/);
  if (status === 429) expect(remedyFor({ status, retryAfter: 7 })).toContain('7 s');
});
