import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { SIGNED, saveSignedRecords } from '#test/console/signed-records.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { openBrowser, START_MILLIS, type Tab } from '../tab.ts';

/** Seals in the console: what pages say of evidence that is signed, badly signed, not signed, and recalled. */

describe.skipIf(isBrowserLeftOut())('seals of evidence', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('sealed'), key: KEYS.ann };
  const { org } = place;
  const { call, get } = callsOf(place.url, org, place.key);
  const trail = `/${org}/flows/${SIGNED.flow}/trails/${SIGNED.trail}`;
  const ids: Record<string, string> = {};
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, [], { ann: 'admin' });
    await saveSignedRecords(place);
    const { data } = await get<{ data: { attestation_name: string; attestation_id: string }[] }>('/attestations');
    for (const { attestation_name: name, attestation_id: id } of data) ids[name] = id;
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const main = () => page.locator('main');
  /** Opens the details of an attestation and returns what they say of its signature. */
  const sealOf = async (name: string): Promise<string> => {
    expect(await tab.visit(`${trail}?attestation_id=${ids[name]}`)).toEqual([]);
    const seal = page.getByRole('dialog').getByRole('region', { name: 'Seal' });
    await seal.waitFor();
    return seal.innerText();
  };

  test('a verified bundle says who signed, from which run, by which root, and what proves when', async () => {
    const text = await sealOf('build');
    expect(text).toContain('Signed, time proved');
    expect(text).toContain('Signed by ci, and a log proves when.');
    expect(text).toContain('github.com/acme/web/actions/runs/9876543210/attempts/1');
    expect(text).toContain('own, version 1');
    expect(text).toContain('as a log proves');
    expect(text).toContain('shop.tar');
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
  });

  test('a forged bundle is red with its sentence, and nowhere looks verified', async () => {
    const text = await sealOf('forged');
    expect(text).toContain('Not verified');
    expect(text).toContain('The signature was not verified: ');
    expect(text).not.toMatch(/Signed by|time proved|Verified/);
    await tab.open(trail);
    const row = main().getByRole('row', { name: /forged/ });
    expect(await row.innerText()).toContain('Not verified');
    expect(await main().getByRole('row', { name: /build/ }).innerText()).toContain('Signed, time proved');
    expect(
      await main()
        .getByRole('row', { name: /review/ })
        .innerText(),
    ).not.toMatch(/Signed|verified/i);
  });

  test('the artifact and the list of attestations have the same seals, and the list finds what is not signed', async () => {
    expect(await tab.visit(`/${org}/flows/${SIGNED.flow}/artifacts/${SIGNED.fingerprint}`)).toEqual([]);
    expect(
      await main()
        .getByRole('row', { name: /forged/ })
        .innerText(),
    ).toContain('Not verified');
    expect(await main().getByRole('row', { name: /build/ }).innerText()).toContain('Signed, time proved');
    expect(await tab.visit(`/${org}/attestations`)).toEqual([]);
    expect(await main().getByRole('row').count()).toBe(4);
    await main().getByLabel('Seal').selectOption('signed');
    await page.waitForURL(/below=signed/);
    await expect.poll(() => main().getByRole('row').count()).toBe(3);
    expect(await main().innerText()).not.toContain('Signed, time proved');
    expect(await tab.barriers()).toEqual([]);
  });

  test('recalled evidence says which recall it falls under, and since when it does not count', async () => {
    const recall = { signer: 'ci', reason: 'The runner was taken over' };
    expect((await call('PUT', '/recalls/takeover', { json: recall })).status).toBe(201);
    await expect.poll(async () => sealOf('build'), { timeout: START_MILLIS }).toContain('It does not count any more');
    await tab.open(trail);
    expect(await page.getByRole('region', { name: 'Recalled' }).innerText()).toContain('build');
    await page.getByRole('region', { name: 'Recalled' }).getByRole('link', { name: 'takeover' }).click();
    await page.getByRole('heading', { level: 1, name: 'takeover' }).waitFor();
    await tab.settled();
    expect(await main().innerText()).toContain('signatures of the signer ci');
    expect(await main().innerText()).toContain(
      'Evidence of 1 trail and 1 artifact falls under it; nothing of it runs.',
    );

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'What would it concern?' }).click();
    await page.getByRole('dialog').getByText('Evidence of 1 trail and 1 artifact falls under it').waitFor();
    expect(await tab.barriers()).toEqual([]);
  });
});
