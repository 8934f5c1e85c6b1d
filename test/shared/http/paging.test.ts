import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  cursorHeaders,
  dataPage,
  dataPageSchema,
  flatPage,
  flatPageSchema,
  pageHeaders,
  pageLinks,
  uncountedPageHeaders,
} from '#shared/http/paging.ts';

const request = { host: 'https://api.example', path: '/api/v2/builds/acme corp', rawQuery: 'repo_name=a%2Fb&page=2' };

describe('pages', () => {
  test('contain totals, items and the addresses of neighbouring pages', () => {
    const page = flatPage('builds', request, { page: 2, perPage: 10, total: 31, items: ['x'] });
    const href = (n: number) => ({
      href: `https://api.example/api/v2/builds/acme%20corp?repo_name=a%2Fb&page=${n}&per_page=10`,
    });
    expect(page).toEqual({
      page: 2,
      per_page: 10,
      total_pages: 4,
      total_count: 31,
      builds: ['x'],
      _links: { self: href(2), first: href(1), prev: href(1), next: href(3), last: href(4) },
    });
    expect(flatPageSchema('builds', z.string(), 'The builds').parse(page)).toEqual(page);
  });

  test.each([
    ['the first of several', 1, 20, ['self', 'first', 'next', 'last']],
    ['the last', 2, 20, ['self', 'first', 'prev', 'last']],
    ['an only one', 1, 3, ['self', 'first', 'last']],
    ['one of an empty list', 1, 0, ['self', 'first', 'last']],
  ])('%s leaves out neighbours that do not exist', (_, page, total, names) => {
    expect(Object.keys(pageLinks(request, { page, perPage: 10, total }))).toEqual(names);
  });

  test('past the end link back to the last page with items', () => {
    const { prev } = pageLinks(request, { page: 1_000_000_000_000, perPage: 10, total: 25 });
    expect(prev?.href).toContain('page=3&');
  });

  test('pages of size 0 have no neighbours', () => {
    expect(flatPage('builds', request, { page: 1, perPage: 0, total: 7, items: [] }).total_pages).toBe(0);
  });

  test('have headers with the totals, and with links if there are several pages', () => {
    const link = (n: number, rel: string) =>
      `<https://api.example/api/v2/builds/acme%20corp?repo_name=a%2Fb&page=${n}&per_page=10>; rel="${rel}"`;
    expect(pageHeaders(request, { page: 2, perPage: 10, total: 31 })).toEqual({
      'X-Current-Page': '2',
      'X-Per-Page': '10',
      'X-Total-Count': '31',
      'X-Total-Pages': '4',
      Link: [link(1, 'first'), link(1, 'prev'), link(3, 'next'), link(4, 'last')].join(', '),
    });
    for (const [perPage, total] of [
      [10, 10],
      [10, 0],
      [0, 31],
    ] as const)
      expect(pageHeaders(request, { page: 1, perPage, total })).not.toHaveProperty('Link');
  });

  test('pages without a total link to the pages that are known to exist', () => {
    const relations = (page: number, hasNext: boolean) =>
      [
        ...(uncountedPageHeaders(request, { page, perPage: 10, hasNext })['Link'] ?? '').matchAll(
          /[?&]page=(\d+)[^>]*>; rel="(\w+)"/g,
        ),
      ].map(([, number, rel]) => `${rel} ${number}`);
    expect(relations(1, false)).toEqual([]);
    expect(relations(1, true)).toEqual(['first 1', 'next 2']);
    expect(relations(3, true)).toEqual(['first 1', 'prev 2', 'next 4']);
    expect(relations(3, false)).toEqual(['first 1', 'prev 2']);
  });

  test('pages with cursors link to the first page and the next', () => {
    const at = (rawQuery: string, next: string | null) => cursorHeaders({ ...request, rawQuery }, next)['Link'];
    const address = 'https://api.example/api/v2/builds/acme%20corp';
    expect(at('kind=a', null)).toBeUndefined();
    expect(at('kind=a', 'xyz')).toBe(`<${address}?kind=a>; rel="first", <${address}?kind=a&cursor=xyz>; rel="next"`);
    expect(at('cursor=xyz&kind=a', null)).toBe(`<${address}?kind=a>; rel="first"`);
  });

  test('leave out links that are longer than the gateway lets through', () => {
    const long = { ...request, rawQuery: `repo_name=${'a'.repeat(3000)}` };
    const headers = pageHeaders(long, { page: 2, perPage: 10, total: 31 });
    expect(headers).toMatchObject({ 'X-Total-Pages': '4' });
    expect(headers).not.toHaveProperty('Link');
  });

  test('pages with a pagination object contain the same totals', () => {
    const page = dataPage({ page: 3, perPage: 20, total: 41, items: [1] });
    expect(page).toEqual({ data: [1], pagination: { total: 41, page: 3, per_page: 20, page_count: 3 } });
    expect(dataPageSchema(z.int()).parse(page)).toEqual(page);
  });
});
