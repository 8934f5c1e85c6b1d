import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { addDeniedTrail } from './denied-trail.ts';
import { FINGERPRINT, fillShop, TRAIL } from './shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, type Tab } from './tab.ts';

/** Whether a page says truly that its record is the one in the log. */

const RECEIPTS = '**/api/v2/receipts/**';

describe.skipIf(isBrowserLeftOut())('a record on a page, verified against the log', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('proof'), key: KEYS.ann };
  const trailPath = `/${place.org}/flows/payments/trails/${TRAIL}`;
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    const { call } = callsOf(place.url, place.org, place.key);
    const isCovered = async (path: string) => (await call('GET', `/receipts/${path}`)).text.includes('tlog-proof');
    const wait = { timeout: START_MILLIS, interval: 500 };
    await vi.waitFor(async () => {
      expect(await isCovered(`trails/payments/${TRAIL}/3`)).toBe(true);
      expect(await isCovered('environments/prod/1')).toBe(true);
    }, wait);
    ({ browser, tab, page } = await openBrowser(place.url));
  }, 2 * START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterEach(() => page.unroute(RECEIPTS));
  afterAll(async () => {
    await browser?.close();
  });

  /** Opens a page and asks for the check. @returns what the page says of it */
  async function asked(path: string, within = 'main'): Promise<() => Promise<string>> {
    await tab.open(path);
    const part = page.locator(within);
    await part.getByRole('button', { name: 'Verify against the log' }).click();
    return () =>
      part
        .getByRole('status')
        .filter({ has: page.locator('[data-tone]') })
        .innerText();
  }
  const verified = (says: () => Promise<string>) =>
    expect.poll(says, { timeout: STEP_MILLIS }).toMatch(/The record shown is the one in the log: leaf \d+ of \d+/);
  /** What the service answers to a request of the page, whose session is valid in the page alone. */
  async function answerTo(route: Route): Promise<string> {
    const headers = { authorization: `Bearer ${place.key}`, accept: 'application/json' };
    return (await fetch(route.request().url(), { headers })).text();
  }
  /** Changes the answer of the service on its way to the page. */
  const intercepted = (change: (receipt: { proof: string; openings: { name: string; text: string }[] }) => unknown) =>
    page.route(RECEIPTS, async (route) => route.fulfill({ json: change(JSON.parse(await answerTo(route))) }));

  test.each([
    ['trail', trailPath],
    ['artifact', `/${place.org}/flows/payments/artifacts/${FINGERPRINT}`],
    ['snapshot', `/${place.org}/environments/prod/snapshots/1`],
  ])('the page of the %s says which leaf it is and who signed, and what was not checked', async (_, path) => {
    const says = await asked(path);
    await verified(says);
    expect(await says()).toMatch(/Whether the key is the right one/);
    expect(await tab.faults()).toEqual([]);
  });

  test('the details of an attestation say it in a narrow window too', async () => {
    await tab.open(trailPath);
    const [link] = await page.locator('main a[href*="attestation_id"]').all();
    await verified(await asked((await link?.getAttribute('href')) ?? '', '[role=dialog], dialog'));
    expect(await tab.faults()).toEqual([]);
    expect(await tab.tooWide([360])).toEqual([]);
  });

  test('an evaluation and an entry of the audit log say it too', async () => {
    const { get } = callsOf(place.url, place.org, place.key);
    await addDeniedTrail(place);
    const [evaluation] = (await get<{ evaluations: { id: string }[] }>('/evaluations')).evaluations;
    await verified(await asked(`/${place.org}/evaluations/${evaluation?.id}`));
    await tab.open(`/${place.org}/audit`);
    const entry = page.locator('main details').first();
    await entry.locator('summary').click();
    await entry.getByRole('button', { name: 'Verify against the log' }).click();
    const says = () =>
      entry
        .getByRole('status')
        .filter({ has: page.locator('[data-tone]') })
        .innerText();
    await verified(says);
    expect(await says()).toMatch(/caller, subject, values before, values after/);
    expect(await tab.faults()).toEqual([]);
    expect(await tab.tooWide([360])).toEqual([]);
  });

  test.each<[string, RegExp, RegExp, RegExp]>([
    ['the entry', /(extra .{200})./, /What failed: .*entry/, /The SHA-256 of the entry is/],
    ['the proof', /(index \d+\n.{10})./, /What failed: proof/, /do not lead from leaf/],
    ['the root', /(\n\d+\n.{10})(?=[^\n]+\n\n)./, /What failed: proof, signature/, /signature of the key \w+ is wrong/],
    ['the signature', /(\n— \S+ .{20})./, /What failed: signature/, /signature of the key \w+ is wrong/],
  ])('one changed byte in %s is red, with what failed', async (_, place, failed, why) => {
    await intercepted((receipt) => {
      const other = (all: string, before: string) => `${before}${all.endsWith('A') ? 'B' : 'A'}`;
      return { ...receipt, proof: receipt.proof.replace(place, other) };
    });
    const says = await asked(trailPath);
    await expect.poll(says, { timeout: STEP_MILLIS }).toMatch(failed);
    expect(await says()).toMatch(why);
    expect(await says()).not.toMatch(/The record shown is the one/);
    await expect.poll(() => page.locator('main [role=status] [data-tone=bad]').count()).toBeGreaterThan(0);
  });

  test('a text that is not the one of the entry is red', async () => {
    await intercepted((receipt) => ({
      ...receipt,
      openings: receipt.openings.map((one) => ({ ...one, text: one.text.replace('INCOMPLETE', 'COMPLIANT') })),
    }));
    const says = await asked(trailPath);
    await expect.poll(says, { timeout: STEP_MILLIS }).toMatch(/What failed: .*texts/);
  });

  test('a page that shows another verdict than the log is red', async () => {
    const trails = `**/api/v2/trails/${place.org}/payments/${TRAIL}?*`;
    await page.route(trails, async (route) =>
      route.fulfill({ json: { ...JSON.parse(await answerTo(route)), compliance_state: 'COMPLIANT' } }),
    );
    const says = await asked(trailPath);
    await expect
      .poll(says, { timeout: STEP_MILLIS })
      .toMatch(/verdict is "COMPLIANT" here and "INCOMPLETE" in the log/);
    await page.unroute(trails);
  });

  test('a receipt that is not ready says when, and the page goes on by itself', async () => {
    let isReady = false;
    await page.route(RECEIPTS, (route) =>
      isReady
        ? route.continue()
        : route.fulfill({ status: 202, json: { message: 'No checkpoint of the log covers this record yet' } }),
    );
    const says = await asked(trailPath);
    await expect.poll(says, { timeout: STEP_MILLIS }).toMatch(/No checkpoint .* covers .* yet.*after three seconds/);
    isReady = true;
    await verified(says);
  });
});
