import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { newContext, newTab, openBrowser, START_MILLIS, STEP_MILLIS, signIn, type Tab } from './tab.ts';

/** Two forms by the keyboard alone: what they say of wrong values and of failed calls, and that they keep what was typed. */

describe.skipIf(isBrowserLeftOut())('forms by the keyboard', () => {
  const { url } = inject('stack');
  const org = newOrganizationName('forms');
  let browser: Browser | undefined;
  let context: BrowserContext;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, ['controls'], { ann: 'admin', rob: 'reader' });
    ({ browser, context, tab, page } = await openBrowser(url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  /** Puts the focus on a control by its label, and replaces what it holds. */
  const typeInto = async (label: string, text: string) => {
    await dialog().getByLabel(label).focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(text);
  };
  const openForm = async (name: string) => {
    await page.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
  };
  /** The description of the control that has the focus: what a screen reader says of it. */
  const focused = () =>
    page.evaluate<string>(
      `(document.activeElement.getAttribute('aria-describedby') ?? '').split(' ')
        .map((id) => document.getElementById(id)?.innerText ?? '').join(' ')`,
    );

  test('a flow: says at the field what is wrong, outlasts a lost network, and opens the new page', async () => {
    await tab.open(`/${org}/flows`);
    await openForm('New flow');
    expect(await tab.barriers()).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(focused, { timeout: STEP_MILLIS }).toContain('Fill this in.');
    await page.keyboard.type('two words');
    await page.keyboard.press('Enter');
    await expect.poll(focused, { timeout: STEP_MILLIS }).toContain('should match pattern');
    await typeInto('Template', 'version: 2');
    await typeInto('Name', 'payments');
    await page.keyboard.press('Enter');
    await expect.poll(focused, { timeout: STEP_MILLIS }).toContain('version');
    await typeInto('Template', 'version: 1');
    await page.keyboard.press('Escape');
    // Escape does not throw away what was typed.
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Discard');

    await context.setOffline(true);
    await dialog().getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('What you entered is kept').waitFor();
    await context.setOffline(false);
    tab.forgive();
    await dialog().getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await heading('payments');
    expect(await page.locator('main').innerText()).toContain('No trail was reported yet.');
  });

  test('a control: keeps what was typed after a 409 and the end of the session', async () => {
    // Before the page opens: an open page can still send a call past a new route.
    const calls = `**/api/v2/controls/${org}`;
    await page.route(calls, (route) =>
      route.fulfill({ status: 409, contentType: 'application/json', body: '{"message":"Somebody was first"}' }),
    );
    await tab.open(`/${org}/controls`);
    await openForm('New control');
    await typeInto('Identifier', 'RCTL-1');
    await typeInto('Name', 'Every change is reviewed');
    await page.keyboard.press('Enter');
    await dialog().getByText('Somebody was first').waitFor();
    expect(await dialog().innerText()).toContain('Nothing was changed.');
    await page.unroute(calls);

    await context.clearCookies();
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').focus();
    await page.keyboard.type(KEYS.ann);
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor({ state: 'detached' });
    tab.forgive();
    expect(await dialog().getByLabel('Identifier').inputValue()).toBe('RCTL-1');
    await dialog().getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await heading('Every change is reviewed');

    await tab.open(`/${org}/controls`);
    await openForm('New control');
    await typeInto('Identifier', 'RCTL-1');
    await typeInto('Name', 'Another');
    await page.keyboard.press('Enter');
    await dialog().getByText('already exists').waitFor();
    tab.forgive();
  });

  test('an expectation: takes durations in words, says at the field what is wrong, and shows what a version changed', async () => {
    const { call } = callsOf(url, org, KEYS.ann);
    expect((await call('PUT', '/environments', { json: { name: 'edge', type: 'server' } })).status).toBe(201);
    await tab.open(`/${org}/expectations`);
    await openForm('New expectation');
    expect(await tab.barriers()).toEqual([]);
    await typeInto('Name', 'edge-reports');
    await typeInto('At least every', 'soon');
    await page.keyboard.press('Enter');
    await expect.poll(focused, { timeout: STEP_MILLIS }).toContain('Name environments, or give tags.');
    await page.keyboard.type('nowhere');
    await page.keyboard.press('Enter');
    await typeInto('Owner', 'Dana');
    await page.keyboard.press('Enter');
    await dialog().getByText('Should be an ISO 8601 duration').waitFor();
    await typeInto('At least every', '20 min');
    await page.keyboard.press('Enter');
    await dialog().getByText('There is no such environment').waitFor();
    tab.forgive();
    await dialog()
      .getByRole('button', { name: /nowhere/ })
      .focus();
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Environments').focus();
    await page.keyboard.type('edge');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await heading('edge-reports');
    const main = page.locator('main');
    await main.getByText('at least every 20 min, with 2 min of grace').waitFor();

    await openForm('Edit');
    await typeInto('At least every', '1 h');
    await page.keyboard.press('Enter');
    await main.getByText('At least every: 20 min → 1 h').waitFor();
    expect(await tab.barriers()).toEqual([]);

    await page.getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    await openForm('Archive');
    await dialog().getByRole('button', { name: 'Archive' }).focus();
    await page.keyboard.press('Enter');
    await main.getByText('Archived: it expects nothing.').waitFor();
    await openForm('Expect it again');
    await page.keyboard.press('Escape');
    await tab.open(`/${org}/expectations`);
    await main.getByText('nothing is expected yet').waitFor();
  });

  test('what is rare stands in the menu of a record, which gives the focus back', async () => {
    await tab.open(`/${org}/flows/payments`);
    await heading('payments');
    expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0);
    await page.getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('main header button').allInnerTexts()).toEqual([
      'Edit',
      'More',
      'Tags',
      'Rename',
      'Archive',
    ]);
    expect(await tab.barriers()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Rename' }).focus();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).toBe('More');
    await page.keyboard.press('Enter');
    await openForm('Rename');
    await typeInto('New name', 'money');
    await page.keyboard.press('Enter');
    await heading('money');
  });

  test('who may not sees who may instead of a button', async () => {
    const other = await newContext(browser as Browser);
    await signIn(other, url, KEYS.rob);
    const readers = await newTab(other, url);
    await readers.open(`/${org}/flows`);
    await readers.page.getByText('Only members and admins may create flows').waitFor();
    expect(await readers.page.getByRole('button', { name: 'New flow' }).count()).toBe(0);
    expect(await readers.problems()).toEqual([]);
    await other.close();
  });
});
