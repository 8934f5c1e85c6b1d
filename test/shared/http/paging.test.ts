import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dataPage, dataPageSchema, flatPage, flatPageSchema, pageLinks } from '#shared/http/paging.ts';

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
    expect(flatPageSchema('builds', z.string()).parse(page)).toEqual(page);
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

  test('of size 0 have no neighbours', () => {
    expect(flatPage('builds', request, { page: 1, perPage: 0, total: 7, items: [] }).total_pages).toBe(0);
  });

  test('with a pagination object contain the same totals', () => {
    const page = dataPage({ page: 3, perPage: 20, total: 41, items: [1] });
    expect(page).toEqual({ data: [1], pagination: { total: 41, page: 3, per_page: 20, page_count: 3 } });
    expect(dataPageSchema(z.int()).parse(page)).toEqual(page);
  });
});
