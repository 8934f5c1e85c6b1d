import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { newContext, newTab, openBrowser, START_MILLIS, signIn, type Tab } from '../tab.ts';

/** Signers, trust roots and recalls in the console: their forms with what the service refuses, and what pages say of them. */

describe.skipIf(isBrowserLeftOut())('signers in the console', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('signers'), key: KEYS.ann };
  const { org } = place;
  const { call } = callsOf(place.url, org, place.key);
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, [], { ann: 'admin', rob: 'reader' });
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const main = () => page.locator('main');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (label: string, text: string) =>
    dialog()
      .getByLabel(new RegExp(`^${label}( optional)?$`))
      .fill(text);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('a public key is trusted, and a text that is none is refused at its field', async () => {
    await tab.open(`/${org}/trust-roots`);
    await press('New trust root');
    await fill('Name', 'release-key');
    await fill('Public key', 'no key');
    await press('Create the trust root');
    await dialog().getByText('Correct the marked field.').waitFor();
    expect(await dialog().getByLabel('Public key', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await tab.barriers()).toEqual([]);
    await fill('Public key', PUBLIC_KEY);
    await press('Create the trust root');
    await heading('release-key');
    tab.forgive();
    await main().getByText('Signatures of 0 signers are verified with this public key.').waitFor();
    expect(await main().innerText()).toContain('No signer names it.');
  });

  test('a signer says whom it means, and a pattern that strangers could match is refused', async () => {
    await tab.open(`/${org}/signers`);
    await press('New signer');
    await fill('Name', 'release');
    await fill('Issuer', 'https://token.actions.githubusercontent.com');
    await fill('Subjects', 'https://github.com/acme/*');
    await page.keyboard.press('Enter');
    await press('Create the signer');
    await dialog().getByText('otherwise names that strangers choose match').waitFor();
    tab.forgive();
    await press('Remove https://github.com/acme/*');
    await fill('Subjects', 'https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main');
    await page.keyboard.press('Enter');
    await press('Create the signer');
    await heading('release');
    expect(await main().innerText()).toContain('token.actions.githubusercontent.com proved it');

    await press('Edit');
    await dialog().getByLabel('A signature is known by').selectOption('key');
    expect(await dialog().getByLabel('Issuer').count()).toBe(0);
    await fill('Trust root', 'release-key');
    await press('Save');
    await main().getByText('A signature with the public key release-key counts as one of release.').waitFor();
    await tab.settled();
    expect(await main().innerText()).toContain('Trust root: sigstore-public → release-key');
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.faults()).toEqual([]);
  });

  test('a signer is recalled from its page, and says so everywhere', async () => {
    await tab.open(`/${org}/signers/release`);
    await press('Recall');
    await fill('Name of the recall', 'stolen');
    await fill('Signed from', 'yesterday');
    await fill('Reason', 'The key was on a stolen laptop');
    await press('Recall it');
    await dialog().getByText('Write a day or an instant').waitFor();
    await fill('Signed from', '2026-07-01');
    await press('Recall it');
    await heading('stolen');
    expect(await main().innerText()).toContain(
      'Not to be trusted: signatures of the signer release, made from 1 Jul 2026, 00:00:00 UTC on.',
    );
    expect(await main().innerText()).toContain('The key was on a stolen laptop');
    expect(await tab.visit(`/${org}/signers`)).toEqual([]);
    expect(await main().innerText()).toContain('Recalled');
    expect(await tab.visit(`/${org}/signers/release`)).toEqual([]);
    expect(tab.calls().length, tab.calls().join(' ')).toBeLessThanOrEqual(4);
    expect(await main().innerText()).toContain('The key was on a stolen laptop');
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
  });

  test('a recall is deleted and comes back, and each version stays', async () => {
    await tab.open(`/${org}/recalls/stolen`);
    await press('More');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete the recall stolen' }).click();
    await main().getByText('Deleted: it does not recall').waitFor();
    await press('Recall it again');
    await dialog().getByRole('button', { name: 'Recall stolen again' }).click();
    await main().getByText('Not to be trusted:').waitFor();
    await tab.settled();
    expect(await main().getByText('Deleted: yes → no').count()).toBe(1);
    expect(await main().getByText('Deleted: no → yes').count()).toBe(1);
    expect(await tab.faults()).toEqual([]);
  });

  test('a signer without its trust root says that it verifies nothing', async () => {
    expect((await call('DELETE', '/trust-roots/release-key')).status).toBe(200);
    expect(await tab.visit(`/${org}/signers/release`)).toEqual([]);
    expect(await main().innerText()).toContain('It verifies nothing, because its trust root release-key is deleted.');
    expect(await tab.visit(`/${org}/trust-roots/release-key`)).toEqual([]);
    expect(await main().innerText()).toContain('also for 1 signer that names it');
  });

  test('a reader sees everything, and who may change it', async () => {
    const context = await newContext(browser as Browser);
    await signIn(context, place.url, KEYS.rob);
    const reader = await newTab(context, place.url);
    for (const [path, sentence] of [
      ['signers', 'may create signers'],
      ['signers/release', 'may edit the signer, delete it and recall evidence'],
      ['trust-roots', 'may create trust roots'],
      ['recalls/stolen', 'may edit the recall and delete it'],
    ] as const) {
      expect(await reader.visit(`/${org}/${path}`)).toEqual([]);
      expect(await reader.page.locator('main').innerText()).toContain(sentence);
      expect(await reader.page.getByRole('button', { name: /^(New|Edit|Delete|Recall)/ }).count()).toBe(0);
    }
    await context.close();
  });
});
