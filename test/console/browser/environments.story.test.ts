import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import { Table } from '#shared/table/table.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { COMMIT, fillShop, TRAIL } from './shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, type Tab } from './tab.ts';

/** What the lists and the pages of environments say beside their verdicts: silence, order, frequency. */

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;

describe.skipIf(isBrowserLeftOut())('environments in the console', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('places'), key: KEYS.ann };
  const { call, get } = callsOf(place.url, place.org, place.key);
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    await call('PUT', '/environments', { json: { name: 'edge', type: 'docker' } });
    const fingerprint = 'a'.repeat(64);
    const git = { sha1: COMMIT, message: 'Start', author: 'Ann <ann@shop.example>', timestamp: 1_790_000_000 };
    const { status, text } = await call('POST', '/artifacts/payments', {
      json: {
        ...{
          trail_name: TRAIL,
          template_reference_name: 'agent',
          filename: 'agent:1',
          fingerprint,
          git_commit: COMMIT,
        },
        ...{ build_url: 'https://ci.shop.example/1', commit_url: 'https://git.shop.example/1', git_commit_info: git },
      },
    });
    expect(status, text).toBe(201);
    const artifacts = [{ digests: { 'agent:1': fingerprint }, creationTimestamp: 1_790_000_000 }];
    await call('PUT', '/environments/edge/report/docker', { json: { artifacts } });
    await silence('edge', 26 * HOUR);
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  /** Stores that an environment reported every minute until some time ago. @param ago microseconds */
  async function silence(name: string, ago: number): Promise<void> {
    const { origin } = await get<{ origin: string }>('/log');
    const org = storedId<OrganizationId>(origin.split('.', 1)[0] ?? '');
    const table = new Table(localDatabase(inject('stack').endpoints.dynamodb), LOCAL.tableName);
    const entries = [...(await readCatalogue(table, org, ENVIRONMENTS)).values()];
    const found = entries.find(({ entry }) => entry['n'] === name);
    if (!found) throw new Error(`There is no environment ${name}`);
    const last = Date.now() * 1000 - ago;
    const [r, r1, r2, r3, r4] = [0, 1, 2, 3, 4].map((n) => last - n * MINUTE);
    await table.put({ ...found.entry, r, r1, r2, r3, r4 });
  }

  const names = () =>
    page
      .locator('main tbody tr')
      .getByRole('link', { name: /^(edge|prod)$/ })
      .allInnerTexts();
  const searchOf = () => new URL(page.url()).search;

  test('a silent reporter is named on the row, in the sentence of the list and on the page', async () => {
    const text = 'o report for 26 h; usually every minute';
    for (const path of ['', '/environments']) {
      await tab.open(`/${place.org}${path}`);
      expect(await page.getByRole('row', { name: /edge/ }).innerText()).toContain(`n${text}`);
      expect(await page.locator('main header').first().innerText()).toMatch(/edge is silent\./);
    }
    await tab.open(`/${place.org}/environments/edge`);
    expect(await page.locator('main header').first().innerText()).toContain(`N${text}.`);
    expect(await tab.faults()).toEqual([]);
  });

  test('a heading orders all rows and stands in the address, by mouse and by keyboard', async () => {
    await tab.open(`/${place.org}/environments`);
    expect(await names()).toEqual(['prod', 'edge']);
    const heading = page.getByRole('columnheader', { name: 'Environment' });
    await heading.getByRole('button').click();
    await expect.poll(searchOf, { timeout: STEP_MILLIS }).toBe('?sort=name');
    await expect.poll(names, { timeout: STEP_MILLIS }).toEqual(['edge', 'prod']);
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    await heading.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect.poll(searchOf, { timeout: STEP_MILLIS }).toBe('?sort=-name');
    await expect.poll(names, { timeout: STEP_MILLIS }).toEqual(['prod', 'edge']);
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    await page.reload();
    await tab.settled();
    expect(await names()).toEqual(['prod', 'edge']);
    expect(await tab.faults()).toEqual([]);
  });

  test('the tab «Frequency» shows deployments, lead times and times to compliance of the days in the address', async () => {
    await tab.open(`/${place.org}/environments/edge`);
    await page.getByRole('navigation', { name: 'Views of the environment' }).getByText('Frequency').click();
    await expect.poll(searchOf, { timeout: STEP_MILLIS }).toBe('?tab=frequency');
    await page.getByRole('img', { name: /^Deployments per day: .*: 1 deployment/ }).waitFor();
    const said = async () => page.locator('main').innerText();
    await expect.poll(said).toMatch(/1 deployment in 90 days/);
    await expect.poll(said).toMatch(/One deployment: \d+ d/);
    await expect.poll(said).toMatch(/No failure ended in 90 days/);
    await page.getByRole('link', { name: '30 d' }).click();
    await expect.poll(said, { timeout: STEP_MILLIS }).toMatch(/1 deployment in 30 days/);
    expect(searchOf()).toContain('days=30');
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
    expect(await tab.faults()).toEqual([]);
  });

  test('the whole organization has a frequency, two clicks from any page', async () => {
    await tab.open(`/${place.org}/environments/prod`);
    await page.getByRole('navigation', { name: 'Pages of the organization' }).getByText('Frequency').click();
    const head = () => page.locator('main header').first().innerText();
    await expect.poll(head, { timeout: STEP_MILLIS }).toMatch(/2 deployments in 2 environments in 30 days/);
    await page.getByRole('link', { name: '365 d' }).click();
    await expect.poll(head, { timeout: STEP_MILLIS }).toMatch(/2 deployments in 2 environments in 365 days/);
    expect(searchOf()).toBe('?days=365');
    expect(await page.getByRole('row', { name: /prod/ }).first().innerText()).toMatch(
      /1\s+About one deployment every 365 days/,
    );
    expect(await page.locator('main').innerText()).toMatch(/Known of 1 of 2 deployments/);
    expect(await tab.faults()).toEqual([]);
  });

  test('the views of an environment stand in one line in a narrow window, with the current one in sight', async () => {
    await page.setViewportSize({ width: 360, height: 900 });
    await tab.open(`/${place.org}/environments/prod/settings`);
    const line = page.getByRole('navigation', { name: 'Views of the environment' });
    const isInSight = async (name: string) => {
      const { x = -1, width = 0 } = (await line.getByRole('link', { name }).boundingBox()) ?? {};
      return x >= 0 && x + width <= 360;
    };
    const lines = await line
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top));
    expect([lines.length, new Set(lines).size]).toEqual([9, 1]);
    expect([await isInSight('Settings'), await isInSight('What changed')]).toEqual([true, false]);
    await line.getByRole('link', { name: 'Settings' }).focus();
    for (let n = 1; n < lines.length; n += 1) await page.keyboard.press('Shift+Tab');
    await expect.poll(() => isInSight('What changed')).toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/${place.org}/environments/prod`);
    expect(await tab.tooWide([360])).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
