import { createServer } from 'node:http';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { close, listen, portOf } from '#infra/local/ports.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { fillShop, TRAIL } from './shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, signIn, type Tab } from './tab.ts';

/** What a page says and keeps if it gets no answer, and what other sites cannot do. */

/** A target that nobody listens at. */
const NOWHERE = 'http://127.0.0.1:9/hook';

describe.skipIf(isBrowserLeftOut())('a page without an answer', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('failures'), key: KEYS.ann };
  const trailPath = `/${place.org}/flows/payments/trails/${TRAIL}`;
  const trailCall = `**/api/v2/trails/${place.org}/payments/${TRAIL}*`;
  let browser: Browser | undefined;
  let context: BrowserContext;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin' });
    await fillShop(place, NOWHERE);
    ({ browser, context, tab, page } = await openBrowser(place.url, null));
  }, START_MILLIS);
  afterAll(async () => {
    await browser?.close();
  });
  /** Each test has a session of its own, in the same tab: a further context takes a second of processor time. */
  beforeEach(() => signIn(context, place.url));
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'wait' });
    await context.setOffline(false);
    await context.clearCookies();
  });

  const text = () => page.locator('body').innerText();
  const environments = () => page.getByRole('region', { name: 'Environments' });
  const answer =
    (status: number, message: string, headers: Record<string, string> = {}) =>
    (route: Route) =>
      route.fulfill({
        status,
        contentType: 'application/json',
        headers: { 'x-request-id': 'request-7', ...headers },
        body: JSON.stringify({ message }),
      });
  const endSessions = async () => {
    const token = (await context.cookies()).find(({ name }) => name === 'session-csrf')?.value ?? '';
    const ended = await context.request.delete(`${place.url}/api/v2/user/session`, {
      headers: { 'sec-fetch-site': 'same-origin', 'x-csrf-token': token },
    });
    expect(ended.status()).toBeLessThan(300);
  };

  describe('a page without an answer to its first call', () => {
    test.each([
      [403, 'You may not read this', 'Not allowed', 'Ask an administrator'],
      [404, 'Trail not found', 'Not found', 'renamed or archived'],
    ])('%i: shows the reason and what to do', async (status, message, heading, remedy) => {
      await page.route(trailCall, answer(status, message));
      await tab.open(trailPath);
      expect(await tab.heading()).toBe(heading);
      const shown = await text();
      for (const part of [message, remedy, 'request-7']) expect(shown).toContain(part);
    });

    test.each([
      [429, 'Too many requests', 'The service limits the rate of requests. Try again in 1 s.'],
      [503, 'The service is busy', 'The service is busy. Try again in 1 s.'],
    ])('%i: tries again, says why it waits, and goes on at a click', async (status, message, remedy) => {
      await page.route(trailCall, answer(status, message, { 'retry-after': '1' }));
      await tab.open(trailPath);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await text()).toContain(remedy);
      await page.unroute(trailCall);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: TRAIL }).waitFor();
    });

    test('401: asks for a key instead of the page, and then shows the page', async () => {
      await context.clearCookies();
      await tab.open(trailPath);
      await page.getByLabel('API key').fill('dek_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('does not know this key').waitFor();
      await page.getByLabel('API key').fill(KEYS.ann);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: TRAIL }).waitFor();
      expect(new URL(page.url()).pathname).toBe(trailPath);
    });

    test('a page of an unknown record shows the sentence of the service and where to look', async () => {
      await tab.open(`/${place.org}/flows/no-such-flow`);
      expect(await tab.heading()).toBe('Not found');
      expect(await page.locator('main').getByRole('link', { name: 'Flows' }).count()).toBe(1);
    });

    test('an address without a page says so', async () => {
      const response = await page.goto(`${place.url}/${place.org}/nothing/here`);
      expect(response?.status()).toBe(404);
      await tab.settled();
      expect(await tab.heading()).toBe('Not found');
    });
  });

  describe('a part of a page without an answer', () => {
    test('fails alone', async () => {
      await page.route(`**/api/v2/actions/${place.org}*`, answer(403, 'You may not read actions'));
      await tab.open(`/${place.org}`);
      await page.getByRole('alert').first().waitFor();
      expect(await page.getByRole('alert').allInnerTexts()).toEqual([
        expect.stringContaining('You may not read actions'),
      ]);
      expect(await tab.heading()).toBe(place.org);
      expect(await environments().getByRole('link', { name: 'prod' }).count()).toBe(1);
    });
  });

  describe('a page without an answer to a later call', () => {
    /** Opens the page of the trail, and has it read again now. */
    const readAgain = () => page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');

    test.each(['revoked', 'expired'])(
      'a session that was %s: the page stays, asks for a key, and goes on',
      async (how) => {
        await tab.open(trailPath);
        if (how === 'revoked') await endSessions();
        else await context.clearCookies();
        await readAgain();
        await page.getByRole('dialog').getByLabel('API key').waitFor();
        expect(await text()).toContain('review is missing');
        await page.getByRole('dialog').getByLabel('API key').fill(KEYS.ann);
        await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(await text()).toContain('review is missing');
        expect(new URL(page.url()).pathname).toBe(trailPath);
      },
    );

    test('the browser has no tile of the log in its cache after the session', async () => {
      await tab.open(`/${place.org}`);
      const tile = `/api/v2/log/${place.org}/tile/entries/000.p/1`;
      const read = () => page.evaluate<number>(`fetch('${tile}').then(({ status }) => status)`);
      await expect.poll(read, { timeout: STEP_MILLIS }).toBe(200);
      await endSessions();
      expect(await read()).toBe(401);
      tab.forgive();
    });

    test('offline: the page keeps what it had and says that it may be stale', async () => {
      await tab.open(trailPath);
      await context.setOffline(true);
      await readAgain();
      await page.getByText('may be stale').waitFor();
      expect(await text()).toContain('review is missing');
      await context.setOffline(false);
      await page.getByText('live · as of').waitFor();
    });

    test('a page and a search whose files are gone after a deployment offer to reload', async () => {
      const chunk = /\/-\/assets\/(policies-page|palette)/;
      // Before the page opens: an open page can still send a call past a new route.
      await page.route(chunk, answer(404, 'Not Found'));
      await tab.open(`/${place.org}`);
      await page.keyboard.press('/');
      await page.getByRole('dialog').getByRole('button', { name: 'Reload' }).waitFor();
      expect(await page.getByRole('dialog').innerText()).toContain('A newer version was deployed');
      await page.keyboard.press('Escape');
      expect(await environments().getByRole('link', { name: 'prod' }).count()).toBe(1);
      await page.getByRole('navigation').getByRole('link', { name: 'Policies' }).click();
      await page.getByRole('button', { name: 'Reload' }).waitFor();
      await page.unroute(chunk);
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('heading', { level: 1, name: 'Policies' }).waitFor();
    });
  });

  describe('a page of another site', () => {
    test('a form and a script of it change nothing and read nothing', async () => {
      const address = `${place.url}/api/v2/environments/${place.org}`;
      const body = '{"name":"stolen","type":"docker"}';
      const server = createServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(
          `<form method="post" enctype="text/plain" action="${address}"><input name='${body}'></form><p>ready</p>`,
        );
      });
      // The stack is at localhost, so this address is another site.
      await listen(server, 0, '127.0.0.1');
      try {
        await page.goto(`http://127.0.0.1:${portOf(server)}/`);
        const read = await page.evaluate(
          `fetch(${JSON.stringify(address)}, { credentials: 'include' }).then((r) => r.text(), (e) => 'refused')`,
        );
        const written = await page.evaluate(
          `fetch(${JSON.stringify(address)}, { method: 'PUT', credentials: 'include', body: ${JSON.stringify(body)} }).then((r) => r.text(), (e) => 'refused')`,
        );
        expect([read, written]).toEqual(['refused', 'refused']);
        const [response] = await Promise.all([
          page.waitForResponse(address),
          page.evaluate('document.forms[0].submit()'),
        ]);
        expect(response.status()).toBeGreaterThanOrEqual(400);
      } finally {
        await close(server);
      }
      const names = await (
        await context.request.get(address, { headers: { authorization: `Bearer ${KEYS.ann}` } })
      ).text();
      expect(names).toContain('prod');
      expect(names).not.toContain('stolen');
    });

    test.each(['cross-site', 'same-site'])('a cookie is refused in a request that is %s', async (site) => {
      const [cookie] = await context.cookies();
      const response = await fetch(`${place.url}/api/v2/user`, {
        headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'sec-fetch-site': site },
      });
      expect(response.status).toBe(403);
    });
  });
});
