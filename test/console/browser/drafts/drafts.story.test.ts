import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { fillShop } from '../shop.ts';
import { openBrowser, START_MILLIS, type Tab } from '../tab.ts';
import { propose } from './propose.ts';

/** What an agent proposes, and what a person does with it in the console. */

const text = (rule: string): string =>
  `_schema: https://evidence.example.com/schemas/policy/environment/v1\nartifacts:\n  ${rule}\n`;
const OLD = text('provenance: {required: true}');
const NEW = text('trail-compliance: {required: true}');

describe.skipIf(isBrowserLeftOut())('drafts in the console', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('drafted'), key: KEYS.ann };
  const { org } = place;
  const { call, get } = callsOf(place.url, org, place.key);
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, [], { ann: 'member' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    const policy = { form: { name: 'tight' }, part: 'payload', files: { policy_file: OLD } };
    expect((await call('PUT', '/policies', policy)).status).toBe(201);
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const main = () => page.locator('main');
  const changes = () => page.getByRole('region', { name: 'What would change' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const versionsOf = async () => (await get<{ versions: object[] }>('/policies/tight')).versions;

  test('the person reads the difference line by line, confirms once, and comes to what was made', async () => {
    const id = await propose(place, 'draft_policy', { name: 'tight', policy: NEW, comment: 'Stricter <i>' });
    await tab.open(`/${org}/drafts`);
    await page.getByRole('link', { name: 'tight' }).click();
    await page.getByRole('heading', { level: 1, name: 'tight' }).waitFor();
    await tab.settled();
    expect(new URL(page.url()).pathname).toBe(`/${org}/drafts/${id}`);
    expect(await main().innerText()).toContain('Nothing is written until you confirm it.');
    expect(await main().innerText()).toContain('<b>helper</b> <U+202E>');
    expect(await changes().innerText()).toContain('Stricter <i>');
    expect(await changes().getByRole('table').innerText()).toContain('1 line added, 1 removed.');
    expect(await tab.barriers()).toEqual([]);
    expect(await versionsOf()).toHaveLength(1);

    await button('Confirm').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('region', { name: 'What was written' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await main().innerText()).toContain('ann confirmed it: a version of a policy was written.');
    expect(await button('Confirm').count()).toBe(0);
    expect(await versionsOf()).toHaveLength(2);
    expect(await page.getByRole('link', { name: 'the record' }).getAttribute('href')).toContain(
      `/${org}/policies/tight`,
    );
    expect(await tab.faults()).toEqual([]);
  });

  test('a draft whose record changed says so and has no button to confirm; discarding it writes nothing', async () => {
    const id = await propose(place, 'draft_policy', { name: 'tight', policy: OLD });
    const other = {
      form: { name: 'tight', description: 'changed meanwhile' },
      part: 'payload',
      files: { policy_file: NEW },
    };
    expect((await call('PUT', '/policies', other)).status).toBe(200);
    await tab.open(`/${org}/drafts/${id}`);
    expect(await main().innerText()).toContain('It cannot be confirmed: tight has changed');
    expect(await button('Confirm').count()).toBe(0);
    await button('Discard').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('ann discarded it, and nothing was written.').waitFor();
    expect(await versionsOf()).toHaveLength(2);
    expect(await tab.faults()).toEqual([]);
  });

  test('the service refuses a page that was open while another one confirmed', async () => {
    const id = await propose(place, 'draft_attestation', {
      ...{ flow: 'payments', trail: 'release-42', attestation_name: 'walk', is_compliant: true },
    });
    await tab.open(`/${org}/drafts/${id}`);
    await button('Confirm').click();
    const first = await page.evaluate(
      async ([address, token]) => {
        const answer = await fetch(String(address), { method: 'POST', headers: { 'x-csrf-token': String(token) } });
        return answer.status;
      },
      [`/api/v2/drafts/${org}/${id}/confirm`, await csrfToken()],
    );
    expect(first).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').getByText('ann confirmed this draft at').waitFor();
    tab.forgive();
  });

  const csrfToken = async (): Promise<string> => {
    const cookies = await page.context().cookies();
    return cookies.find(({ name }) => name.includes('csrf'))?.value ?? '';
  };
});
