import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { fillShop } from '../shop.ts';
import { openBrowser, START_MILLIS, type Tab } from '../tab.ts';

/** Expectations of every kind in the console: the form with its dry run, and what environments and controls say of reports and gaps. */

describe.skipIf(isBrowserLeftOut())('expectations in the console', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('expected'), key: KEYS.ann };
  const { org } = place;
  const { call } = callsOf(place.url, org, place.key);
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, ['controls'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    const control = { identifier: 'RCTL-1', name: 'Every change is reviewed' };
    expect((await call('POST', '/controls', { json: control })).status).toBe(201);
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const main = () => page.locator('main');

  test('the form shows the fields of the kind, says what would have been missed, and saves', async () => {
    await tab.open(`/${org}/expectations`);
    await page.getByRole('button', { name: 'New expectation' }).click();
    await dialog().getByLabel('Environments').waitFor();
    await dialog().getByLabel('What is expected').selectOption('decision');
    await dialog().getByLabel('Control', { exact: true }).waitFor();
    await dialog().getByLabel('What is expected').selectOption('evidence');
    await dialog().getByLabel('Name, type or control').waitFor();
    expect(await dialog().getByLabel('Environments').count()).toBe(0);
    expect(await tab.barriers()).toEqual([]);

    const ask = dialog().getByRole('button', { name: 'Try it on the last 90 days' });
    await ask.click();
    await dialog().getByText('Name flows, or give tags.').waitFor();
    await dialog().getByLabel('Flows').fill('payments');
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Name, type or control').fill('pentest');
    await dialog().getByLabel('At least every').fill('soon');
    await ask.click();
    await dialog().getByText('Should be an ISO 8601 duration').waitFor();
    await dialog().getByLabel('At least every').fill('30 d');
    await ask.click();
    // The name can come later: nothing is stored by a dry run.
    await dialog()
      .getByText(/It would (not )?have missed|Nothing is known/)
      .waitFor();
    tab.forgive();
    expect(await dialog().getByText('Fill this in.').count()).toBe(0);

    await dialog().getByLabel('Name', { exact: true }).fill('yearly-pentest');
    await dialog().getByRole('button', { name: 'Create the expectation' }).click();
    await page.getByRole('heading', { level: 1, name: 'yearly-pentest' }).waitFor();
    await tab.settled();
    expect(await main().innerText()).toContain(
      'each flow of the scope gets compliant attestations of the name pentest',
    );
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog().getByLabel('Name, type or control').inputValue()).toBe('pentest');
    await page.keyboard.press('Escape');
    expect(await tab.faults()).toEqual([]);
  });

  test('an environment shows when reports came, as a strip and in numbers', async () => {
    expect(await tab.visit(`/${org}/environments/prod?tab=gaps`)).toEqual([]);
    expect(tab.calls().length).toBeLessThanOrEqual(4);
    const strip = page.getByRole('region', { name: 'Reports' });
    expect(await strip.innerText()).toMatch(/1 report in \d+ hours?\./);
    expect(await strip.getByRole('img').first().getAttribute('aria-label')).toMatch(/1 hour with reports/);
    expect(await strip.locator('tbody tr').count()).toBe(1);
    expect(await tab.barriers()).toEqual([]);
  });

  test('a control shows what is expected of it, and its gaps', async () => {
    const expected = { kind: 'decision', control: 'RCTL-1', scope: { environments: ['prod'] }, every: 'P1D' };
    expect((await call('PUT', '/expectations', { json: { name: 'reviewed', ...expected } })).status).toBe(201);
    expect(await tab.visit(`/${org}/controls/RCTL-1?tab=gaps`)).toEqual([]);
    expect(tab.calls().length).toBeLessThanOrEqual(4);
    expect(await main().innerText()).toContain('reviewed');
    expect(await page.getByRole('region', { name: 'Gaps' }).innerText()).toContain('since then');
    expect(await tab.barriers()).toEqual([]);
  });
});
