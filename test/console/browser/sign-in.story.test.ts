import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserLeftOut, launchBrowser } from '#test/support/browser.ts';
import { startProvider, type TestProvider } from '#test/support/sign-in-provider.ts';
import { nodeStart, temporaryDir } from '#test/support/stack-process.ts';
import { newContext, newTab, START_MILLIS, type Tab } from './tab.ts';

/** People sign in at an identity provider, in a browser and against a stack of its own (rules/sign-in.md). */

const ORG = 'demo';
const EMAIL = 'ann@example.com';
const DOMAIN = 'people.example';

describe.skipIf(isBrowserLeftOut())('sign-in at an identity provider', () => {
  let browser: Browser | undefined;
  let provider: TestProvider;
  beforeAll(async () => {
    [browser, provider] = await Promise.all([launchBrowser(), startProvider()]);
  }, START_MILLIS);
  afterAll(() => Promise.all([browser?.close(), provider.stop()]));

  it(
    'explains a refusal, lets a person in who can write, refuses writes with a stolen cookie, and asks before people join',
    async () => {
      const started = await nodeStart(
        temporaryDir(),
        ...['--no-demo', '--allow-local-targets'],
        ...['--sign-in-issuer', provider.url, '--sign-in-client', provider.clientId],
      );
      const { url, operator } = await started.ready();
      for (const command of [
        { command: 'create-user', name: 'ann' },
        { command: 'identify-user', user: 'ann', email: EMAIL },
        { command: 'add-member', organization: ORG, user: 'ann', role: 'admin' },
        { command: 'grant-sign-in', organization: ORG, domain: [DOMAIN] },
      ]) {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(operator, { method: 'POST', headers, body: JSON.stringify(command) });
        expect(await answer.json()).toMatchObject({ ok: true });
      }
      const context = await newContext(browser as Browser);
      const tab = await newTab(context, url);
      await isRefused(tab);
      await comesIn(tab, url);
      await endsOtherSession(tab, url);
      await cannotWriteWithCookieAlone(context, url);
      await letsDomainIn(tab);
      await context.close();
      await joinsWhenAsked(url);
    },
    START_MILLIS,
  );

  async function letsDomainIn({ page }: Tab): Promise<void> {
    const body = JSON.stringify({ rules: [{ domain: DOMAIN, role: 'reader' }] });
    const status = await page.evaluate(`fetch('/api/v2/organizations/${ORG}/sign-in-rules', {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        'x-csrf-token': /session-csrf=([^;]+)/.exec(document.cookie)[1],
      },
      body: '${body}',
    }).then(({ status }) => status)`);
    expect(status).toBe(200);
  }

  /** A person whom a rule lets in sees an offer, answers that it can wait, and joins. */
  async function joinsWhenAsked(url: string): Promise<void> {
    provider.person = { sub: 'bob-1', email: `bob@${DOMAIN}`, email_verified: true };
    const context = await newContext(browser as Browser);
    const tab = await newTab(context, url);
    await tab.open(`/${ORG}/flows`);
    await enter(tab);
    await tab.page.getByText(`lets people of ${DOMAIN} in`).waitFor();
    expect(await tab.heading()).toBe('Not allowed');
    await tab.open('/');
    await tab.page.getByText(`lets people of ${DOMAIN} in`).waitFor();
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
    await tab.page.getByRole('button', { name: 'Not now' }).click();
    await tab.page.getByText('you answered «not now»').waitFor();
    await tab.open(`/${ORG}/flows`);
    await tab.page.getByRole('button', { name: 'Join' }).click();
    await tab.page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    await context.close();
  }

  const enter = (tab: Tab) =>
    tab.page.getByRole('button', { name: `Sign in with ${new URL(provider.url).host}` }).click();

  async function isRefused(tab: Tab): Promise<void> {
    provider.person = { sub: 'eve', email: 'eve@example.com', email_verified: true };
    await tab.open(`/${ORG}/people`);
    await enter(tab);
    await tab.page.getByText('no organization of this service lets you in').waitFor();
    expect(await tab.heading()).toBe('Sign in');
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
    await tab.page.getByText('Sign in with an API key').click();
    expect(await tab.page.getByLabel('API key').isVisible()).toBe(true);
  }

  /** The page of the refusal keeps the page that the person wanted. */
  async function comesIn(tab: Tab, url: string): Promise<void> {
    provider.person = { sub: 'ann-1', email: EMAIL, email_verified: true };
    await enter(tab);
    await tab.page.waitForURL(`${url}/${ORG}/people`);
    await tab.settled();
    expect(await tab.heading()).toBe('People and access');
    await tab.page.getByRole('heading', { name: 'Sign-in rules' }).waitFor();
  }

  /** A write of a page has the token against forgery. */
  async function endsOtherSession(tab: Tab, url: string): Promise<void> {
    const other = await newContext(browser as Browser);
    const { page } = await newTab(other, url);
    await page.goto(`${url}/api/v2/user/sign-in?next=/-/account`);
    await tab.open('/-/account');
    const end = tab.page.getByRole('button', { name: 'End', exact: true });
    await end.click();
    await end.waitFor({ state: 'detached' });
    expect(await page.evaluate("fetch('/api/v2/user').then(({ status }) => status)")).toBe(401);
    await other.close();
  }

  async function cannotWriteWithCookieAlone(context: BrowserContext, url: string): Promise<void> {
    const cookies = new Map((await context.cookies()).map((cookie) => [cookie.name, cookie]));
    expect(cookies.get('session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(cookies.get('session-csrf')).toMatchObject({ httpOnly: false, sameSite: 'Strict' });
    expect(cookies.has('sign-in')).toBe(false);
    const statusOf = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const cookie = `session=${cookies.get('session')?.value}`;
      const sent = { cookie, 'sec-fetch-site': 'same-origin', ...headers };
      return (await fetch(`${url}/api/v2/user/${path}`, { method, headers: sent })).status;
    };
    expect([await statusOf('GET', 'sessions'), await statusOf('PUT', ORG)]).toEqual([200, 403]);
    expect(await statusOf('PUT', ORG, { 'x-csrf-token': cookies.get('session-csrf')?.value ?? '' })).toBe(200);
  }
});
