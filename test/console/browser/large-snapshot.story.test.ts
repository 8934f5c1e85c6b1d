import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { ROWS, showManyRows } from './many-rows.ts';
import { fillShop } from './shop.ts';
import { openBrowser, START_MILLIS, type Tab } from './tab.ts';

const MOST_NODES = 2_500;

describe.skipIf(isBrowserLeftOut())('a snapshot with 10,000 artifacts', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('large'), key: KEYS.ann };
  let browser: Browser | undefined;
  let tab: Tab;
  beforeAll(async () => {
    await createOrganization(place.org, [], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    ({ browser, tab } = await openBrowser(place.url));
    await showManyRows(tab.page);
  }, START_MILLIS);
  afterAll(async () => {
    await browser?.close();
  });

  test('draws the rows in sight only, at the beginning and after scrolling to the end', async () => {
    await tab.open(`/${place.org}/environments/prod/snapshots/1`);
    expect(await tab.page.locator('main').innerText()).toContain(ROWS.toLocaleString('en'));
    expect(await tab.nodes()).toBeLessThanOrEqual(MOST_NODES);
    const rows = tab.page.locator('table[aria-rowcount]');
    expect(Number(await rows.getAttribute('aria-rowcount'))).toBeGreaterThanOrEqual(ROWS);
    await rows.evaluate((table) => table.parentElement?.scrollTo({ top: table.scrollHeight }));
    await tab.page
      .getByText(`app-${ROWS - 1}`)
      .first()
      .waitFor();
    expect(await tab.nodes()).toBeLessThanOrEqual(MOST_NODES);
  });

  test('finds a row by a part of its name', async () => {
    await tab.page.getByRole('searchbox').first().fill('app-7777');
    await expect.poll(() => tab.page.locator('[data-row]').count()).toBe(1);
    // The table becomes shorter, so what is below it moves.
    expect(await tab.faults()).toEqual([]);
  });
});
