import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { FINGERPRINT, fillShop, TRAIL } from '../shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, type Tab } from '../tab.ts';

/** The question about a component, from the palette to the answer. */

const SBOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'lodash', version: '4.17.20', purl: 'pkg:npm/lodash@4.17.20' }],
});
const PURL = 'pkg:npm/lodash';
const NEWER = `5e8fb${'0'.repeat(59)}`;

describe.skipIf(isBrowserLeftOut())('the page of components', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('components'), key: KEYS.ann };
  const { org } = place;
  const address = (versions: string, more = '') =>
    `/${org}/components?purl=${PURL}&versions=${encodeURIComponent(versions)}${more}`;
  const { call, get } = callsOf(place.url, org, place.key);
  /** Reports an SBOM of an artifact. */
  const report = async (fingerprint: string, sbom: string) => {
    const document = {
      attestation_name: 'parts',
      type_name: 'sbom',
      artifact_fingerprint: fingerprint,
      attestation_data: { original_fingerprint: createHash('sha256').update(sbom).digest('hex') },
    };
    const sent = { form: document, files: { attachment_file: sbom } };
    const { status, text } = await call('POST', `/attestations/payments/trail/${TRAIL}/system`, sent);
    expect(status, text).toBeLessThan(300);
  };
  let browser: Browser | undefined;
  let tab: Tab;
  let page: Page;

  beforeAll(async () => {
    await createOrganization(org, ['controls'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    await report(FINGERPRINT, SBOM);
    await vi.waitFor(
      async () => {
        expect(await get(`/components?purl=${PURL}&versions=vers:npm/*`)).toMatchObject({
          builds: [{ attestation_name: 'parts' }],
        });
      },
      { timeout: START_MILLIS, interval: 100 },
    );
    ({ browser, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));
  afterAll(async () => {
    await browser?.close();
  });

  const main = () => page.locator('main');
  const sentence = async (text: string | RegExp) => {
    await main().locator('header').getByText(text).waitFor({ timeout: STEP_MILLIS });
  };

  test('is reached from the palette with a package URL, and says where the component runs', async () => {
    await tab.open(`/${org}`);
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill(PURL);
    await page.getByRole('option', { name: `Where does ${PURL} run?` }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('versions') === 'vers:npm/*');
    await sentence('1 artifact with it runs in prod.');
    expect(await tab.faults()).toEqual([]);
  });

  test('shows lanes, the artifact with its versions and runs, and reads all pages of the answer', async () => {
    expect(await tab.visit(address('vers:npm/<4.17.21'))).toEqual([]);
    await sentence('1 artifact with it runs in prod.');
    expect(
      await main()
        .getByRole('img', { name: /^Affected / })
        .count(),
    ).toBe(1);
    const row = main().getByRole('table', { name: 'Artifacts that hold the component' }).getByRole('row').last();
    expect(await row.innerText()).toMatch(
      /worker\s+4f7ea000[\s\S]*4\.17\.20[\s\S]*prod, runs since[\s\S]*parts of release-42/,
    );
    expect(tab.calls().map((path) => path.includes('cursor='))).toEqual([false, true]);
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
  });

  test('asks for packages by the beginning of a name, and keeps the range for the one that is chosen', async () => {
    await tab.open(`/${org}/components`);
    await page.getByLabel('Component').fill('LOD');
    await page.getByLabel('Versions').fill('>=4.17.21');
    await page.getByRole('button', { name: 'Ask' }).click();
    await main().getByRole('link', { name: PURL }).click();
    await page.waitForURL((url) => url.searchParams.get('versions') === 'vers:npm/>=4.17.21');
    await sentence('No SBOM that counts lists it.');
    await main().getByRole('link', { name: 'Builds' }).click();
    await sentence('0 SBOMs that count list it.');
    expect(await tab.faults()).toEqual([]);
  });

  test('says at each field why the service refuses the question', async () => {
    await tab.open(address('vers:npm/<1|>x', '&at=2999-01-01'));
    await sentence(/^The question cannot be answered/);
    tab.forgive();
    const fields = ['Versions', 'As of'].map((label) => page.getByLabel(label));
    for (const field of fields) expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Component').getAttribute('aria-invalid')).toBe('false');
    await main().getByText('Input should not be in the future').waitFor();
    expect(await tab.barriers(['light'])).toEqual([]);
    await page.getByLabel('Versions').fill('*');
    await page.getByLabel('As of').fill('');
    await page.getByRole('button', { name: 'Ask' }).click();
    await sentence('1 artifact with it runs in prod.');
  });

  test('says of an answer that it is not complete, and reads the rest when it is asked to', async () => {
    let read = 0;
    await page.route(`**/api/v2/components/${org}/exposure?**`, async (route) => {
      read += 1;
      // A request that is made here does not say where it comes from, and a cookie counts in requests of the same origin only.
      const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
      const url = route
        .request()
        .url()
        .replace(/&cursor=[^&]*/, '');
      const response = await route.fetch({ headers, url });
      const json = await response.json();
      const pages = { ...json, ...(read > 1 && { affected: [] }), next_cursor: read < 6 ? `page-${read}` : null };
      await route.fulfill({ response, json: pages });
    });
    await tab.open(address('vers:npm/*', '&at=2024-01-01'));
    await sentence(/The answer is not complete yet\.$/);
    await main().getByText('Not complete yet.', { exact: true }).waitFor();
    expect(read).toBe(4);
    await page.getByRole('button', { name: 'Read the rest' }).click();
    await main().getByText('Not complete yet.', { exact: true }).waitFor({ state: 'detached' });
    expect(read).toBe(6);
    expect(await tab.faults()).toEqual([]);
  });

  test('makes a watch of the question, whose case says since when the organization knows', async () => {
    await tab.open(address('vers:npm/<4.17.21'));
    await page.getByRole('button', { name: 'Watch it' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Package URL').inputValue()).toBe(PURL);
    await dialog.getByLabel('Name').fill('cve-1');
    await dialog.getByLabel('Known since').fill('2999-01-01');
    await dialog.getByRole('button', { name: 'Watch a component' }).click();
    await dialog.getByText(/future/).waitFor();
    tab.forgive();
    await dialog.getByLabel('Known since').fill('2026-11-01T12:00Z');
    await dialog.getByRole('button', { name: 'Watch a component' }).click();
    await page.waitForURL(`**/${org}/watches/cve-1`);
    await sentence(/^Affected artifacts run in prod\. .*The 24 hours ended/);
    await main().getByText('1 Nov 2026, 12:00:00 UTC, as ann said', { exact: true }).waitFor();
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
    await tab.open(`/${org}/watches`);
    await main().getByRole('link', { name: 'cve-1' }).waitFor();
    expect(await tab.faults()).toEqual([]);
  });

  test('lists the components of an SBOM in its details', async () => {
    const { builds } = await get<{ builds: { attestation_id: string }[] }>(
      `/components?purl=${PURL}&versions=vers:npm/*`,
    );
    const id = builds[0]?.attestation_id;
    expect(await tab.visit(`/${org}/flows/payments/trails/${TRAIL}?attestation_id=${id}`)).toEqual([]);
    const section = page.getByRole('dialog').locator('section', { hasText: 'Components' }).first();
    await section.getByText('1 component, as cyclonedx-1.6 lists them.').waitFor();
    expect(await section.getByRole('list').innerText()).toMatch(/lodash\s+4\.17\.20\s+pkg:npm\/lodash@4\.17\.20/);
    expect(await tab.barriers(['light'])).toEqual([]);
    expect(await tab.tooWide([360])).toEqual([]);
  });

  test('compares the components of an artifact that changed between two snapshots', async () => {
    const built = await call('POST', '/artifacts/payments', {
      json: {
        ...{ trail_name: TRAIL, template_reference_name: 'worker', filename: 'worker:43', fingerprint: NEWER },
        ...{ git_commit: '5'.repeat(40), build_url: 'https://ci.shop.example/43' },
        commit_url: 'https://git.shop.example/43',
      },
    });
    expect(built.status, built.text).toBeLessThan(300);
    await report(NEWER, SBOM.replaceAll('4.17.20', '4.17.21'));
    const artifacts = [{ digests: { 'worker:43': NEWER }, creationTimestamp: 1_790_000_100 }];
    const reported = await call('PUT', '/environments/prod/report/docker', { json: { artifacts } });
    expect(reported.status, reported.text).toBeLessThan(300);
    await vi.waitFor(
      async () => {
        expect(await get(`/components/differences?from=${FINGERPRINT}&to=${NEWER}`)).toMatchObject({
          counts: { changed: 1 },
        });
      },
      { timeout: START_MILLIS, interval: 100 },
    );
    await tab.open(`/${org}/compare?a=prod%231&b=prod%232`);
    await main().getByRole('link', { name: 'compare', exact: true }).click();
    await page.waitForURL(
      (url) => url.searchParams.get('from') === FINGERPRINT && url.searchParams.get('to') === NEWER,
    );
    await main().getByText('1 package of 1 differs: 1 changed, 0 the same.').waitFor();
    const row = main().getByRole('table', { name: 'Packages that differ' }).getByRole('row').last();
    expect(await row.innerText()).toMatch(/pkg:npm\/lodash\s+4\.17\.20\s+4\.17\.21\s+newer/);
    expect(await tab.faults()).toEqual([]);
    expect(await tab.barriers()).toEqual([]);
    expect(await tab.tooWide([360, 1280])).toEqual([]);
  });
});
