import { describe, expect, it } from 'vitest';
import { crumbsOf } from '#console/model/crumbs.ts';
import { findPage, PAGES } from '#shared/console/pages.ts';

describe('crumbs', () => {
  it.each(Object.values(PAGES).filter((name) => name !== 'sign-in'))('crumbs of %s lead to pages', (name) => {
    const pattern = Object.entries(PAGES).find(([, page]) => page === name)?.[0] ?? '';
    const found = findPage(pattern.replace(/\{\w+\+?\}/g, 'a1'));
    const crumbs = crumbsOf(name, found?.params ?? {});
    expect(crumbs.at(-1)?.page).toBe(name);
    expect(crumbs.every(({ label }) => label !== '')).toBe(true);
    // A page whose label nobody wrote would show a part of its address.
    expect(crumbs.map(({ label }) => label)).not.toContain(/^\/\{org\}\/([a-z-]+)$/.exec(pattern)?.[1]);
  });
});
