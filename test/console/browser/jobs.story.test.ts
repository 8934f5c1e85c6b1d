import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { addDeniedTrail, DENIED_TRAIL, GATED, STOPPED } from './denied-trail.ts';
import { MOST_STEPS, personIn } from './person.ts';
import { savedArchive } from './saved-archive.ts';
import { FINGERPRINT, fillShop, TRAIL } from './shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, type Tab } from './tab.ts';

/**
 * People come with a question. Each finds the answer with at most three clicks, and with at most three presses of a key; a pasted
 * text counts as one. Questions about a release, a change, a trail, a failure and a message take two, and a file with the evidence three.
 */

/** The width of a page of A4 without its margins, in pixels of CSS. */
const A4_WIDTH = 703;
/** In the page: the classes of what paper would not show whole. */
const CUT_OFF = `[...document.querySelectorAll('main *')]
  .filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => getComputedStyle(one).overflowX !== 'visible')
  .map((one) => one.className)`;

describe.skipIf(isBrowserLeftOut())('the way to an answer', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('shop'), key: KEYS.ann };
  let receiver: Receiver;
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    receiver = await startReceiver();
    receiver.answer = () => ({ status: 410 });
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin' });
    await fillShop(place, receiver.url);
    ({ browser, tab, page } = await openBrowser(place.url));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
    await receiver.stop();
  });

  const person = personIn(place.org, () => ({ tab, page }));
  const { comeIn, click, press, paste, pasteOnPage, answers } = person;

  describe('may the artifact be released?', () => {
    const path = `/flows/payments/artifacts/${FINGERPRINT}`;
    const sentence = /review/;

    test('the mouse answers: may the artifact be released?', async () => {
      await comeIn(`/flows/payments/trails/${TRAIL}`);
      await click('link', /worker/, 'main');
      await answers(path, sentence, 2);
    });
    test('the keyboard answers: may the artifact be released?', async () => {
      await comeIn('');
      await pasteOnPage(FINGERPRINT, /worker:42/);
      await press('Enter');
      await answers(path, sentence, 2);
    });
  });

  describe('what ran in the environment in a period?', () => {
    const sentence = /1 artifact ran/;

    test('the mouse answers: what ran in the environment in a period?', async () => {
      await comeIn('');
      await click('link', 'prod', 'main');
      await click('link', 'History', 'main');
      await answers('/environments/prod/history', sentence);
    });
    test('the keyboard answers: what ran in the environment in a period?', async () => {
      await comeIn('/environments');
      await press('j');
      await press('Enter');
      await page.getByRole('heading', { level: 1, name: 'prod' }).waitFor();
      await press('h');
      await answers('/environments/prod/history', sentence);
    });
    test('a printed page is on white paper, whole and without controls', async () => {
      await comeIn('/environments/prod/history');
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.setViewportSize({ width: A4_WIDTH, height: 1000 });
      expect(await page.locator('main header').innerText()).toMatch(sentence);
      expect(await page.locator('main').innerText()).toMatch(/Printed on .* UTC from http/);
      await expect.poll(() => page.getByRole('row', { name: /worker/ }).isVisible()).toBe(true);
      const isShown = (role: 'button' | 'navigation' | 'link', name?: string) =>
        page.getByRole(role, { name }).first().isVisible();
      expect(await isShown('button', 'Print')).toBe(false);
      expect(await isShown('link', 'Running now')).toBe(false);
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
        'rgb(255, 255, 255)',
      );
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      await page.emulateMedia({ media: null, colorScheme: null });
      await page.setViewportSize({ width: 1280, height: 900 });
    });
  });

  describe('what changed since yesterday, and who allowed it?', () => {
    const path = '/environments/prod';
    const change = /1 artifact changed since .*worker/;
    async function changeIsShown(): Promise<void> {
      await answers(path, /prod/);
      expect(person.steps).toBeLessThanOrEqual(2);
      await expect.poll(() => page.locator('main').innerText(), { timeout: STEP_MILLIS }).toMatch(change);
      await expect.poll(() => page.getByRole('columnheader', { name: 'Allowed by' }).isVisible()).toBe(true);
    }

    test('the mouse answers: what changed since yesterday, and who allowed it?', async () => {
      await comeIn('');
      await click('link', 'prod', 'main');
      await changeIsShown();
    });
    test('the keyboard answers: what changed since yesterday, and who allowed it?', async () => {
      await comeIn('');
      await press('j');
      await press('Enter');
      await changeIsShown();
    });
    test('an address names the period, so that it can be cited', async () => {
      await comeIn(path);
      await click('link', 'Since last week', 'main');
      await expect.poll(() => new URL(page.url()).search).toMatch(/^\?from=\d{4}-\d\d-\d\d$/);
      await click('link', /for a reference/, 'main');
      await expect.poll(() => new URL(page.url()).search).toMatch(/^\?from=.*&to=\d{4}-\d\d-\d\dT/);
      await changeIsShown();
    });
    test('a period before the first report says so', async () => {
      await comeIn(`${path}?from=2020-01-01&to=2020-01-02`);
      await answers(path, /prod/);
      await expect.poll(() => page.locator('main').innerText()).toMatch(/Nothing had been reported yet/);
    });
  });

  describe('why was nobody told?', () => {
    const sentence = /Deliveries|Who was told/i;

    test('the mouse answers: why was nobody told?', async () => {
      await comeIn(`/flows/payments/trails/${TRAIL}`);
      await click('link', 'History', 'main');
      await click('link', 'Who was told', 'main');
      await answers('/deliveries', sentence, 2);
      await expect.poll(() => page.locator('main').innerText()).toMatch(/410/);
    });
    test('the keyboard answers: why was nobody told?', async () => {
      await comeIn('');
      await press('g');
      await press('d');
      await answers('/deliveries', sentence, 2);
      await expect.poll(() => page.locator('main').innerText()).toMatch(/410/);
    });
  });

  describe('what is my trail missing?', () => {
    const path = `/flows/payments/trails/${TRAIL}`;
    const sentence = /review is missing \(1 of 2\)/;

    test('the mouse answers: what is my trail missing?', async () => {
      await comeIn('');
      await click('link', TRAIL, 'main');
      await answers(path, sentence, 2);
      // The command that reports it is folded away below.
      expect(await page.locator('main').textContent()).toContain('kosli attest');
    });
    test('the keyboard answers: what is my trail missing?', async () => {
      await comeIn('');
      await pasteOnPage(TRAIL, new RegExp(`${TRAIL}.*trail`, 's'));
      await press('Enter');
      await answers(path, sentence, 2);
    });
  });

  describe('why did the trail fail, and at which line?', () => {
    const path = `/flows/${GATED}/trails/${DENIED_TRAIL}`;
    beforeAll(() => addDeniedTrail(place), START_MILLIS);

    test('the mouse answers: why did the trail fail, and at which line?', async () => {
      await comeIn('');
      await click('link', DENIED_TRAIL, 'main');
      await answers(path, STOPPED, 2);
    });
    test('the keyboard answers: why did the trail fail, and at which line?', async () => {
      await comeIn('');
      await pasteOnPage(DENIED_TRAIL, new RegExp(`${DENIED_TRAIL}.*trail`, 's'));
      await press('Enter');
      await answers(path, STOPPED, 2);
    });
  });

  describe('where is the evidence of the release, in a file that verifies?', () => {
    async function isSaved(ask: () => Promise<void>): Promise<void> {
      expect(await savedArchive(page, place, ask)).toBeGreaterThan(0);
      expect(person.steps).toBeLessThanOrEqual(MOST_STEPS);
      // The archive lies in the bucket, whose address the service signed.
      const bucket = `request to ${inject('stack').endpoints.s3}/evidence/exports/`;
      expect((await tab.faults()).filter((fault) => !fault.startsWith(bucket))).toEqual([]);
    }

    test('the mouse saves the evidence', async () => {
      await comeIn(`/flows/payments/trails/${TRAIL}`);
      await click('link', /worker/, 'main');
      // The trail has the same button until the page of the artifact is shown.
      await page.getByRole('heading', { name: 'worker:42', level: 1 }).waitFor();
      await isSaved(() => click('button', 'Download evidence'));
    });
    test('the keyboard saves the evidence', async () => {
      await comeIn('');
      await pasteOnPage(FINGERPRINT, /worker:42/);
      await press('Enter');
      await page.getByRole('button', { name: 'Download evidence' }).waitFor();
      await isSaved(() => press('d'));
    });
  });

  test('a screen reader hears names of all landmarks, tables and controls of the trail', async () => {
    await comeIn(`/flows/payments/trails/${TRAIL}`);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    await session.detach();
    const seen = nodes.filter(({ ignored }) => !ignored);
    const namesOf = (...roles: string[]) =>
      seen.filter(({ role }) => roles.includes(role?.value)).map(({ name }) => String(name?.value ?? ''));
    expect(namesOf('navigation')).toEqual(['Pages of the organization', 'Where this page is', 'Views of the trail']);
    expect(namesOf('table')).toEqual(['Evidence by name and by what it is about']);
    expect(namesOf('region')).toContain('Missing');
    expect(namesOf('heading').slice(0, 1)).toEqual([TRAIL]);
    const controls = namesOf('link', 'button', 'combobox', 'searchbox');
    expect(controls).toContain('Account');
    // A name that ends with a colon lacks its value, and one that joins a word and a number is read as one word.
    expect(controls.filter((name) => /^\s*$|:$|^[a-z]+\d+$/i.test(name))).toEqual([]);
  });

  describe('where does this digest run?', () => {
    test('the mouse answers: where does this digest run?', async () => {
      await comeIn('');
      await click('button', /Search/);
      await paste(FINGERPRINT.slice(0, 5), /worker:42/);
      await click('option', /worker:42/);
      await answers(`/flows/payments/artifacts/${FINGERPRINT}`, /prod/);
    });
    test('the keyboard answers: where does this digest run?', async () => {
      await comeIn('');
      await press('/');
      await paste(FINGERPRINT.slice(0, 5), /worker:42/);
      await press('Enter');
      await answers(`/flows/payments/artifacts/${FINGERPRINT}`, /prod/);
    });
  });

  test('the states of an environment are zoomed and moved without a pointer', async () => {
    await comeIn('/environments/prod?tab=running');
    const strip = page.getByRole('img', { name: /^States of prod/ });
    const ticks = () => page.locator('svg[aria-hidden] text').allTextContents();
    await strip.focus();
    // The axis is drawn again when the states of the whole time have come.
    await page.waitForLoadState('networkidle');
    const whole = await ticks();
    for (const key of ['End', '+', '+', '+']) await press(key);
    await expect.poll(ticks).not.toEqual(whole);
    const zoomed = await ticks();
    await press('Shift+ArrowLeft');
    await expect.poll(ticks).not.toEqual(zoomed);
    await press('0');
    await expect.poll(ticks).toEqual(whole);
  });

  test('an old address leads to the page under its present name, and says so', async () => {
    const renamed = await fetch(`${place.url}/api/v2/flows/${place.org}/payments/rename`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ new_name: 'checkout' }),
    });
    expect(renamed.status).toBe(200);
    await comeIn(`/flows/payments/trails/${TRAIL}?tab=history`);
    await answers(`/flows/checkout/trails/${TRAIL}`, /The flow was renamed from payments/);
    expect(new URL(page.url()).search).toBe('?tab=history');
  });
});
