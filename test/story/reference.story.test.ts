import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { isBrowserLeftOut, launchBrowser } from '#test/support/browser.ts';
import { createOrganization, KEYS, newOrganizationName } from './shared-stack.ts';

/** The API's reference as a person meets it: the page of a running stack, in a browser where the machine has one. */

const START_MILLIS = 120_000;
const STEP_MILLIS = 20_000;

const stack = inject('stack');
const org = newOrganizationName('reference');
beforeAll(() => createOrganization(org, [], { rob: 'reader' }));

describe('the page over HTTP', () => {
  test.each([
    ['/doc/', 'text/html; charset=utf-8', 'no-cache'],
    ['/doc', 'text/html; charset=utf-8', 'no-cache'],
    ['/doc/swagger-ui.css', 'text/css; charset=utf-8', 'public, max-age=3600'],
    ['/doc/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'public, max-age=3600'],
    ['/doc/show.js', 'text/javascript; charset=utf-8', 'public, max-age=3600'],
  ])('%s is served with its type, its caching rule and its security rules', async (path, type, caching) => {
    const answer = await fetch(`${stack.url}/api/v2${path}`, { headers: { 'accept-encoding': 'gzip' } });
    const headers = Object.fromEntries(answer.headers);
    expect(answer.status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    expect((await answer.text()).length).toBeGreaterThan(100);
  });

  test('the largest file is sent compressed', async () => {
    const path = `${stack.url}/api/v2/doc/swagger-ui-bundle.js`;
    const packed = await fetch(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(700_000);
    const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await plain.text());
  });
});

describe.skipIf(isBrowserLeftOut())('the page in a browser', () => {
  let browser: Browser | undefined;
  let page: Page;
  const requested: string[] = [];
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.setDefaultTimeout(STEP_MILLIS);
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${stack.url}/api/v2/doc/`);
  }, START_MILLIS);
  afterAll(async () => {
    await browser?.close();
  });

  test('lists every operation', async () => {
    await page.locator('.opblock-tag-section').first().waitFor();
    expect(await page.locator('.info .title').innerText()).toContain('Delivery-evidence service API');
    expect(await page.locator('.info .description').innerText()).toContain('Authorization: Bearer');
    expect(await page.locator('.opblock-tag small').allInnerTexts()).toEqual(groups.map(({ about }) => about));
    // One group open at a time: of many operations the page keeps those in view alone.
    for (const { name, endpoints } of groups) {
      const tag = page.locator(`#operations-tag-${name}`);
      await tag.click();
      const listed = () => page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id).toSorted());
      const expected = endpoints.map(({ operation }) => `operations-${name}-${operation}`).toSorted();
      await expect.poll(listed, { timeout: STEP_MILLIS }).toEqual(expected);
      await tag.click();
    }
  });

  test('tries a request with a key, and shows its answer', async () => {
    await page.locator('#operations-tag-flows').click();
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('.dialog-ux input[aria-label="auth-bearer-value"]').fill(KEYS.rob);
    await page.locator('.dialog-ux button.authorize').first().click();
    await page.locator('.dialog-ux .close-modal').click();

    const operation = page.locator('#operations-flows-listFlows');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('tr[data-param-name="org"] input').fill(org);
    await operation.locator('button.execute').click();
    const answer = operation.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toMatch(/^200/);
    expect(await operation.locator('.request-url').innerText()).toContain(`${stack.url}/api/v2/flows/${org}`);
  });

  test('sends requests only to the service, and violates none of its security rules', () => {
    const origins = new Set(requested.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin));
    expect([...origins]).toEqual([stack.url]);
    expect(requested).toContain(`${stack.url}/api/v2/openapi.json`);
    expect(complaints).toEqual([]);
  });
});
