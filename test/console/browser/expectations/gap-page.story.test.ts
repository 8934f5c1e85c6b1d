import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { fillShop } from '../shop.ts';
import { openBrowser, START_MILLIS, type Tab } from '../tab.ts';

/**
 * The page of a gap, and the days of reports in a narrow window. A real gap takes minutes, so the record of the gap is put between the
 * service and the page; everything else comes from the service.
 */

const HOUR = 3_600;
const NOW = Math.floor(Date.now() / 1_000);
const GAP = {
  id: 'a-gap',
  expectation: 'alive',
  expectation_version: 1,
  kind: 'reports',
  severity: 'warning',
  owner: 'team-web',
  subject: { type: 'environment', environment: 'prod' },
  state: 'open',
  from: NOW - 26 * HOUR,
  detected_at: NOW - 25 * HOUR,
  until: null as number | null,
  ended: null as string | null,
  last_before: { at: NOW - 27 * HOUR, html_url: null },
  first_after: null as { at: number; html_url: null } | null,
  unknown_seconds: 0,
  explanation: null as { text: string; by: string; at: number } | null,
  html_url: null,
};
const ENDED = { until: NOW - HOUR, ended: 'arrived', first_after: { at: NOW - HOUR, html_url: null } };
/** What another person wrote. */
const EXPLAINED = { state: 'excused', explanation: { text: 'The cluster moved', by: 'bob', at: NOW - 60 } };

describe.skipIf(isBrowserLeftOut())('the page of a gap', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('gaps'), key: KEYS.ann };
  const { org } = place;
  const address = `/${org}/gaps/${GAP.id}`;
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, ['controls'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));
  afterAll(async () => {
    await browser?.close();
  });

  const json = (status: number, body: unknown) => (route: Route) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });
  /** Lets the service answer with a gap. */
  const showGap = (gap: object) => page.route(`**/api/v2/gaps/${org}/${GAP.id}`, json(200, { ...GAP, ...gap }));
  const excuse = (answer: (route: Route) => Promise<void>) =>
    page.route(`**/api/v2/gaps/${org}/${GAP.id}/excuse`, answer);
  const dialog = () => page.getByRole('dialog');
  const main = () => page.locator('main');
  const open = async () => {
    await page.getByRole('button', { name: 'Excuse' }).click();
    await dialog().getByLabel('Why nobody has to worry').waitFor();
  };
  const send = async (text: string) => {
    await dialog().getByLabel('Why nobody has to worry').fill(text);
    await dialog().getByRole('button', { name: 'Excuse' }).click();
  };

  test('leads to who was told when it was missed, and when something came again', async () => {
    await showGap({ state: 'closed', ...ENDED });
    expect(await tab.visit(address)).toEqual([]);
    const told = main().getByRole('link', { name: /^Who was told/ });
    expect(await told.count()).toBe(2);
    const triggers = ['ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN'];
    for (const [i, trigger] of triggers.entries()) {
      expect(new URL((await told.nth(i).getAttribute('href')) ?? '', place.url).searchParams.get('trigger')).toBe(
        trigger,
      );
    }
    await told.first().click();
    await page.waitForURL(`**/${org}/deliveries?**`);
    await tab.settled();
    // The service does not know the gap, and says so.
    tab.forgive();
    const asked = tab.calls().find((call) => call.includes(`/deliveries/${org}/explain?`)) ?? '';
    expect(asked).toContain(`gap=${GAP.id}`);
    expect(asked).toContain(`trigger=${triggers[0]}`);
  });

  test('a reason that is too long stays in the form, with what the service says about it', async () => {
    await showGap({});
    await tab.open(address);
    await open();
    const long = 'x'.repeat(1_001);
    await send(long);
    await dialog()
      .getByText(/at most 1000 characters|1,?000/)
      .first()
      .waitFor();
    tab.forgive();
    expect(await dialog().getByLabel('Why nobody has to worry').inputValue()).toBe(long);
    await send(' ');
    await dialog().getByText('Fill this in.').waitFor();
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360])).toEqual([]);
  });

  test('a gap that another person excused meanwhile says who did, and shows it after a reload', async () => {
    await showGap({});
    const sentence = "The gap was excused already, by 'bob'. An excuse is not replaced";
    await excuse(json(409, { message: sentence }));
    await tab.open(address);
    await open();
    await send('We moved');
    await dialog().getByText(sentence).waitFor();
    tab.forgive();
    expect(await dialog().getByLabel('Why nobody has to worry').inputValue()).toBe('We moved');
    await page.unroute(`**/api/v2/gaps/${org}/${GAP.id}`);
    await showGap(EXPLAINED);
    expect(await tab.visit(address)).toEqual([]);
    expect(await main().innerText()).toContain('«The cluster moved»');
    expect(await page.getByRole('button', { name: 'Excuse' }).count()).toBe(0);
  });

  test('a gap that ended can be excused, and one of the service itself cannot', async () => {
    await showGap({ state: 'closed', ...ENDED });
    let sent: unknown;
    await excuse(async (route) => {
      sent = route.request().postDataJSON();
      await json(200, { ...GAP, ...ENDED, ...EXPLAINED })(route);
    });
    await tab.open(address);
    await open();
    await send(' A holiday ');
    await page.getByText('Excused.').waitFor();
    expect(sent).toEqual({ text: 'A holiday' });
    await page.unroute(`**/api/v2/gaps/${org}/${GAP.id}`);
    await showGap({ state: 'unknown', unknown_seconds: 1_800 });
    expect(await tab.visit(address)).toEqual([]);
    expect(await page.getByRole('button', { name: 'Excuse' }).count()).toBe(0);
    expect(await main().innerText()).toContain('in which the service itself did not run');
  });

  test('the days of reports need no scrolling sideways in a window of 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await tab.visit(`/${org}/environments/prod?tab=gaps`)).toEqual([]);
    expect(await tab.tooWide([360])).toEqual([]);
    const reports = page.getByRole('region', { name: 'Reports' });
    const wider = await reports
      .locator('*')
      .evaluateAll((all) =>
        all.filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1).map((one) => one.className),
      );
    expect(wider).toEqual([]);
    const strip = await reports.getByRole('img').first().boundingBox();
    // An hour is at least six pixels wide, so that it can be told from its neighbours.
    expect(strip?.width).toBeGreaterThanOrEqual(24 * 6);
    const labels = await reports
      .locator('tbody tr')
      .first()
      .locator('td')
      .evaluateAll((cells) => cells.map((one) => one.getAttribute('data-label')));
    expect(labels).toEqual(['Hours 0 to 24', 'Reports', 'First to last', 'Longest silence']);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
