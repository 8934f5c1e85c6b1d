import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT_RUNS_HERE, isClientInstalled } from '#test/story/client/client.ts';
import { createOrganization, KEYS, newOrganizationName, operate } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { pasted } from './pasted.ts';
import { newTab, openBrowser, START_MILLIS, type Tab } from './tab.ts';

/** A newcomer follows the page «Connect», with the real client; and the forms of an administrator on the page of settings. */

describe.skipIf(isBrowserLeftOut())('an organization connects its CI', () => {
  const { url } = inject('stack');
  const org = newOrganizationName('connect');
  let browser: Browser | undefined;
  let context: BrowserContext;
  let tab: Tab;
  let page: Page;
  let dir = '';

  beforeAll(async () => {
    await createOrganization(org, [], { ann: 'admin', rob: 'reader' });
    await operate({ command: 'grant-sign-in', organization: org, domain: ['example.com'] });
    ({ browser, context, tab, page } = await openBrowser(url, null));
    dir = mkdtempSync(join(tmpdir(), 'connect-'));
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir });
    git('init', '--quiet', '--initial-branch', 'main');
    git('-c', 'user.name=ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '--allow-empty', '-m', 'First');
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const dialog = () => page.getByRole('dialog');
  const form = async (button: string, values: Record<string, string>, send: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    for (const [label, text] of Object.entries(values)) {
      const field = dialog().getByLabel(label, { exact: false }).first();
      if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(text);
      else await field.fill(text);
    }
    await dialog().getByRole('button', { name: send, exact: true }).click();
  };
  const accepted = () => dialog().waitFor({ state: 'detached' });
  const texts = (title: string) =>
    page
      .getByRole('region', { name: new RegExp(`^${title}`) })
      .locator('pre')
      .allInnerTexts();

  test.skipIf(!CLIENT_RUNS_HERE || !isClientInstalled())(
    'a newcomer gets from the sign-in to a compliant snapshot by copying what the page shows',
    async () => {
      await page.goto(`${url}/-/sign-in?next=/${org}`);
      await page.getByLabel('API key').fill(KEYS.ann);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Waiting for the first report: a trail.').waitFor();
      // Before the sign-in, the page asked who signs in.
      tab.forgive();

      await page.getByRole('link', { name: 'Other', exact: true }).click();
      await page.getByText('There is no service account yet.').waitFor();
      await form('New service account', { Name: 'ci', 'Acts as': 'member' }, 'Create the service account');
      await accepted();
      await page.getByRole('link', { name: 'ci', exact: true }).click();
      await page.getByRole('button', { name: 'Issue a key' }).click();
      await dialog().getByLabel('Description').fill('release pipeline');
      await dialog()
        .getByRole('button', { name: /^Issue a key/ })
        .click();
      await page.getByText('It is shown only here').waitFor();
      const [key = ''] = /dek_[\w-]+/.exec(await page.locator('body').innerText()) ?? [];
      await page.getByRole('button', { name: 'I have copied it' }).click();

      await tab.open(`/${org}/connect?ci=other`);
      const [script = ''] = await texts('2\\. Copy into report\\.sh');
      expect(await pasted([script], { cwd: dir, variables: { KOSLI_API_TOKEN: key } })).toContain(
        "flow 'web' was created",
      );
      // Without a reload.
      await page.getByText('The first artifact was reported.').waitFor();
      const commands = [
        ...(await texts('3\\. Say what may run')),
        ...(await texts('4\\. Report what runs')).slice(0, 1),
      ];
      await pasted(commands, { cwd: dir, input: KEYS.ann });
      await page.getByText('Connected: prod is compliant.').waitFor();
      const done = page.getByRole('region', { name: 'What has come' }).getByText('Done');
      expect(await done.count()).toBe(4);

      const [gate = ''] = await texts('5\\. Stop what must not run');
      const variables = { KOSLI_HOST: url, KOSLI_ORG: org, KOSLI_API_TOKEN: key };
      expect(await pasted([gate], { cwd: dir, variables })).toContain('COMPLIANT');
      // The same script again: a pipeline runs many times.
      await pasted([script], { cwd: dir, variables });
      await tab.open(`/${org}`);
      expect(await page.getByRole('heading', { name: 'Connect your CI' }).count()).toBe(0);
      expect(await tab.faults()).toEqual([]);
    },
    120_000,
  );

  test('a trust with a pattern that matches everything is refused at its field, and its traps stand in the table', async () => {
    await signedIn();
    await tab.open(`/${org}/connect?ci=github`);
    await form('New service account', { Name: 'builder', 'Acts as': 'member' }, 'Create the service account');
    await accepted();
    const values = {
      'Name of the trust': 'release',
      Repository: '*',
      'Id of the repository': '74',
      'Branch or tag': '',
    };
    await form(
      'Trust GitHub Actions',
      { ...values, 'Acts as the service account': 'builder' },
      'Trust jobs of GitHub Actions',
    );
    await dialog().getByText("Each pattern should have a letter or a digit beside '*'").waitFor();
    expect(await tab.barriers()).toEqual([]);
    tab.forgive();
    await dialog().getByLabel('Repository').first().fill('acme/web');
    await dialog().getByRole('button', { name: 'Trust jobs of GitHub Actions' }).click();
    await accepted();
    const table = page.getByRole('table', { name: 'Trusts' });
    expect(await table.innerText()).toContain('repository = acme/web');
    expect(await table.innerText()).toMatch(/pull request/);
  });

  test('an administrator changes and deletes a trust, adds and removes a sign-in rule, and switches features', async () => {
    await signedIn();
    await tab.open(`/${org}/settings`);
    await form('New trust', { 'Name of the trust': 'other', Claims: 'repository acme/web' }, 'Trust pipelines');
    await dialog().getByText('This line has no =').waitFor();
    await dialog().getByLabel('Claims').fill('repository = acme/web\nref = refs/heads/main');
    await dialog().getByRole('button', { name: 'Trust pipelines' }).click();
    await accepted();
    const row = page.getByRole('row', { name: /^other/ });
    await row.getByRole('button', { name: 'Change' }).click();
    await dialog().getByLabel('Minutes that a key works').fill('200');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().locator('[aria-invalid=true]').waitFor();
    tab.forgive();
    await dialog().getByLabel('Minutes that a key works').fill('30');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await accepted();
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete the trust other' }).click();
    await row.waitFor({ state: 'detached' });

    await tab.open(`/${org}/settings?tab=sign-in`);
    expect(await page.locator('main').innerText()).toContain('Only members get in.');
    await form('New rule for a domain', { Domain: 'Example.com' }, 'Let people of a domain join');
    await dialog().getByText('Input should be a domain in lower case').waitFor();
    tab.forgive();
    await dialog().getByLabel('Domain').fill('example.com');
    await dialog().getByRole('button', { name: 'Let people of a domain join' }).click();
    await accepted();
    await page.getByText('with an e-mail address of example.com').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog().getByRole('button', { name: 'Remove the rule' }).click();
    await page.getByText('Only members get in.').waitFor();

    await tab.open(`/${org}/settings?tab=features`);
    await form('Switch on', {}, 'Switch the beta features on');
    await page.getByText('Switched on.').waitFor();

    await tab.open(`/${org}/settings?tab=statements`);
    expect(await page.locator('main').innerText()).toContain('BEGIN PUBLIC KEY');
    expect(await tab.faults()).toEqual([]);
  });

  test('a reader sees who may, and no pipeline that is trusted', async () => {
    const other = await openBrowser(url, KEYS.rob);
    try {
      for (const address of [`/${org}/connect`, `/${org}/settings`, `/${org}/settings?tab=sign-in`]) {
        expect(await other.tab.visit(address)).toEqual([]);
        expect(await other.page.locator('main').innerText()).toMatch(/admins? may/i);
      }
      expect(await other.tab.tooWide([360, 1280])).toEqual([]);
    } finally {
      await other.browser.close();
    }
  });

  /** A tab of a session of its own, whatever the test before has left. */
  async function signedIn(): Promise<void> {
    await context.clearCookies();
    const answer = await context.request.post(`${url}/api/v2/user/session`, {
      headers: { authorization: `Bearer ${KEYS.ann}` },
    });
    expect(answer.status()).toBe(201);
    tab = await newTab(context, url);
    page = tab.page;
  }
});
