import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { newTab, openBrowser, START_MILLIS, signIn, type Tab } from './tab.ts';

/** A person keeps the address of a page under a name (rules/web-console.md#saved-views). */

describe.skipIf(isBrowserLeftOut())('saved views', () => {
  const { url } = inject('stack');
  const org = newOrganizationName('views');
  const address = `/${org}/flows?q=pay&sort=name`;
  let opened: Awaited<ReturnType<typeof openBrowser>>;
  let tab: Tab;
  let browser: Browser | undefined;

  beforeAll(async () => {
    await createOrganization(org, [], { ann: 'admin', rob: 'reader' });
    opened = await openBrowser(url);
    ({ browser, tab } = opened);
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(() => browser?.close());

  const inRail = (one: Tab) => one.page.getByRole('navigation', { name: 'Saved views' }).getByRole('link');
  const present = (one: Tab) => one.page.url().slice(url.length);

  test('the star keeps the address of a page with its filters, and the rail leads there', async () => {
    const { page } = tab;
    await tab.open(address);
    await page.getByRole('button', { name: 'Save this view' }).click();
    expect(await tab.barriers()).toEqual([]);
    await page.getByRole('dialog').getByLabel('Name').fill('Payments <b>first</b>');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    expect(await inRail(tab).allInnerTexts()).toEqual(['Payments <b>first</b>']);
    expect(await tab.barriers()).toEqual([]);

    await tab.open(`/${org}`);
    await inRail(tab).click();
    await expect.poll(() => present(tab)).toBe(address);
    await tab.settled();
    expect(await tab.faults()).toEqual([]);
  });

  test('the search finds a saved view by its name', async () => {
    const { page } = tab;
    await tab.open(`/${org}`);
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('first');
    await page.getByRole('option', { name: /saved view/ }).click();
    await expect.poll(() => present(tab)).toBe(address);
  });

  test('another person who uses the browser does not see the view', async () => {
    const other = await newTab(opened.context, url);
    await signIn(opened.context, url, KEYS.rob);
    await other.open(`/${org}`);
    expect(await inRail(other).count()).toBe(0);
    await other.page.close();
    await signIn(opened.context, url);
    await tab.open(`/${org}`);
    expect(await inRail(tab).count()).toBe(1);
  });

  test('what others wrote into the storage leads nowhere', async () => {
    const addresses = ['https://evil.example/', '//evil.example/demo', 'javascript:alert(1)', `/${org}/flows/%E0`];
    const views = addresses.map((one) => ({ owner: 'ann', name: 'bad', address: one }));
    await tab.page.evaluate(`localStorage.setItem('views', ${JSON.stringify(JSON.stringify(views))})`);
    await tab.open(`/${org}`);
    expect(await inRail(tab).count()).toBe(0);
    await tab.page.evaluate("localStorage.setItem('views', '{')");
    await tab.open(`/${org}`);
    expect(await tab.faults()).toEqual([]);
  });

  test('a view is removed where it was saved', async () => {
    const { page } = tab;
    await tab.open(address);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Saved as/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    expect(await inRail(tab).count()).toBe(0);
  });
});
