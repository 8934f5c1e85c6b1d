import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { callsOf, type Sent } from '#test/story/stack-api.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { FINGERPRINT, fillShop, TRAIL } from './shop.ts';
import { openBrowser, START_MILLIS, STEP_MILLIS, type Tab } from './tab.ts';

/** Whether pages say the true reason: of refusals, overrides and decisions; of lists that end; of files that do not come. */

const TESTED = `_schema: https://evidence.example/schemas/policy/environment/v1
artifacts:
  attestations:
    - name: pentest
      type: generic
`;
const PROGRAM = `package policy

import rego.v1

default allow := false

allow if count(violations) == 0

violations contains "two people must review"
`;
/** The chunk of the palette comes so late that a person has typed a word. */
const SLOW_MILLIS = 1500;

describe.skipIf(isBrowserLeftOut())('the reason on a page', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('reasons'), key: KEYS.ann };
  const { call, get } = callsOf(place.url, place.org, place.key);
  const artifactPath = `/${place.org}/flows/payments/artifacts/${FINGERPRINT}`;
  const trailPath = `/${place.org}/flows/payments/trails/${TRAIL}`;
  let browser: Browser | undefined;
  let context: BrowserContext;
  let tab: Tab;
  let page: Page;

  const send = async (method: string, path: string, sent: Sent) => {
    const { status, text } = await call(method, path, sent);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return text;
  };

  beforeAll(async () => {
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin' });
    await fillShop(place, 'http://127.0.0.1:9/hook');
    const tested = { part: 'payload', form: { name: 'tested' }, files: { policy_file: TESTED } };
    await send('PUT', '/policies', tested);
    await send('PUT', '/environments', { json: { name: 'bank', type: 'docker', policies: ['tested'] } });
    ({ browser, context, tab, page } = await openBrowser(place.url));
  }, START_MILLIS);
  beforeEach(() => tab.printIfTestFails());
  afterAll(async () => {
    await browser?.close();
  });

  const head = () => page.locator('main header').first().innerText();
  const drawer = () => page.getByRole('dialog');
  const attest = async (kind: string, form: Record<string, unknown>) => {
    const path = `/attestations/payments/trail/${TRAIL}/${kind}`;
    await send('POST', path, kind === 'override' ? { json: form } : { form });
  };
  const attestationNamed = async (name: string): Promise<string> => {
    const slot = `/attestations/payments/trail/${TRAIL}/${name}`;
    const [latest] = (await get<{ attestation_id: string }[]>(slot)).toReversed();
    return latest?.attestation_id ?? '';
  };

  test('each environment that refuses an artifact has its own', async () => {
    await tab.open(artifactPath);
    expect(await head()).toMatch(/not be released to bank: \S+ of payments lacks `pentest`, which tested v1 asks for/);
    expect(await head()).toMatch(/Nor to prod: \S+ has no review: \S+ lacks `review`/);
  });

  test.each(['', '/environments', `/flows/payments/trails/${TRAIL}?tab=events`])(
    'axe finds nothing on a page with records, in both themes: %s',
    async (path) => {
      await tab.open(`/${place.org}${path}`);
      expect(await tab.barriers()).toEqual([]);
    },
  );

  test('an override is named where it counts: in the sentence, the row and its details', async () => {
    const about = { attestation_name: 'scan', artifact_fingerprint: FINGERPRINT };
    await attest('generic', { ...about, is_compliant: false });
    const failed = await attestationNamed('scan');
    const override = { reason: 'Not reachable', new_compliance_status: true, original_attestation_type: 'generic' };
    await attest('override', { ...about, ...override });
    const text = /compliant because ann overrode a failed scan on \d+ \w+ 20\d\d: Not reachable/;
    await tab.open(artifactPath);
    expect(await head()).toMatch(text);
    expect(await page.getByRole('row', { name: /scan/ }).innerText()).toMatch(text);
    await tab.open(trailPath);
    await expect.poll(() => page.getByRole('region', { name: 'Overridden' }).innerText()).toMatch(text);
    await page.getByRole('link', { name: 'Details' }).click();
    await drawer().getByText('Overrides').waitFor();
    expect(await drawer().innerText()).toMatch(new RegExp(`Overridden\\s+${text.source}`, 'i'));
    await drawer().getByRole('link', { name: 'the report before it' }).click();
    await drawer().getByRole('link', { name: 'by a later report' }).waitFor();
    expect(new URL(page.url()).searchParams.get('attestation_id')).toBe(failed);
    expect(await tab.faults()).toEqual([]);
  });

  test('a failed decision names the rule and leads to its control and its evaluation', async () => {
    await send('POST', '/controls', { json: { identifier: 'FOUR-EYES', name: 'Two people' } });
    const { id } = JSON.parse(
      await send('POST', '/evaluations', {
        json: {
          context: { trails: [{ flow: 'payments', trail: TRAIL }] },
          policy: { files: { 'policy.rego': PROGRAM } },
          decision: { control: 'FOUR-EYES', name: 'eyes', flow: 'payments', trail: TRAIL },
        },
      }),
    ) as { id: string };
    const decision = await vi.waitFor(
      async () => {
        const evaluation = await get<{ decision_attestation_id: string | null }>(`/evaluations/${id}`);
        expect(evaluation.decision_attestation_id).not.toBeNull();
        return evaluation.decision_attestation_id;
      },
      { timeout: START_MILLIS, interval: 200 },
    );
    await tab.open(`${trailPath}?attestation_id=${decision}`);
    await drawer().getByText('two people must review').first().waitFor();
    const shown = await drawer().innerText();
    expect(shown).toContain('The rule allow does not hold. Line 7 of policy.rego stopped it');
    expect(await drawer().locator('pre').count()).toBe(0);
    expect(tab.calls().length, tab.calls().join(' ')).toBeLessThanOrEqual(4);
    await drawer().getByRole('link', { name: 'FOUR-EYES' }).waitFor();
    await drawer()
      .getByRole('link', { name: /Evaluation/ })
      .click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/${place.org}/evaluations/${id}`);
  });

  test('a decision says that its evaluation cannot be read, and nothing of an evaluation that does not exist', async () => {
    await send('POST', '/controls', { json: { identifier: 'BY-HAND', name: 'By hand' } });
    await attest('system', {
      attestation_name: 'by-hand',
      type_name: 'decision',
      control: 'BY-HAND',
      attestation_data: { is_compliant: false },
      user_data: { evaluation_id: '01a20917-dea3-7ae1-6b2d-a1225cf6' },
    });
    const decision = `${trailPath}?attestation_id=${await attestationNamed('by-hand')}`;
    await tab.open(decision);
    await drawer().getByRole('link', { name: 'BY-HAND' }).waitFor();
    expect(await drawer().getByRole('alert').count()).toBe(0);
    const calls = `**/api/v2/evaluations/${place.org}/*`;
    const message = 'The service is busy. Try again';
    await page.route(calls, (route) => route.fulfill({ status: 503, json: { message } }));
    await tab.open(decision);
    expect(await drawer().getByRole('alert').innerText()).toContain(message);
    await page.unroute(calls);
  });

  test('the page of a trail asks for its steps only when something came to the trail', async () => {
    const asked: string[] = [];
    const note = (request: { url(): string }) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.endsWith(`/trails/${place.org}/payments/${TRAIL}`)) asked.push(search);
    };
    const chains = () => asked.filter((search) => search.includes('reasons=chain')).length;
    page.on('request', note);
    await tab.open(trailPath);
    await expect.poll(() => asked.length - chains(), { timeout: START_MILLIS }).toBeGreaterThanOrEqual(2);
    expect(chains()).toBe(1);
    await attest('generic', { attestation_name: 'latest', is_compliant: false });
    await expect.poll(chains, { timeout: START_MILLIS }).toBe(2);
    await page
      .locator('main header')
      .getByText(/ann reported `latest`|and 2 other failures/)
      .waitFor();
    page.off('request', note);
  });

  test('attaching a policy judges at once, as the page of the policy says', async () => {
    const lax = { part: 'payload', form: { name: 'sboms' }, files: { policy_file: TESTED.replace('pentest', 'sbom') } };
    await send('PUT', '/policies', lax);
    await tab.open(`/${place.org}/policies/sboms`);
    expect(await page.locator('main').innerText()).toContain('what runs in the environment is judged by it at once');
    const judgedBy = async () =>
      (await get<{ applied_policies: { name: string }[] }>('/snapshots/prod/-1')).applied_policies.map(
        ({ name }) => name,
      );
    expect(await judgedBy()).toEqual(['strict']);
    await send('POST', '/environments/prod/policies', { json: { policy_names: ['sboms'] } });
    expect((await judgedBy()).toSorted()).toEqual(['sboms', 'strict']);
  });

  test('the address, the sentence and the fields of a period name the same days', async () => {
    await tab.open(`/${place.org}/environments/prod/history`);
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true);
    const [from, to] = [
      await page.getByLabel('From').inputValue(),
      await page.getByLabel('to', { exact: true }).inputValue(),
    ];
    const words = (day: string) =>
      new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
        Date.parse(day),
      );
    expect(await head()).toContain(`from ${words(from)} to ${words(to)} (UTC)`);
    expect(new URL(page.url()).searchParams.get('from')).toBe(from);
  });

  test('nothing leads to older deliveries at the end of a list', async () => {
    const { deliveries } = await get<{ deliveries: unknown[] }>('/deliveries?per_page=50');
    expect(deliveries.length).toBeGreaterThan(0);
    // An organization that is months old: the service did not look at its first months.
    await page.route(`**/api/v2/deliveries/${place.org}?*`, (route) => {
      const isLater = route.request().url().includes('cursor=');
      return route.fulfill({
        json: isLater ? { deliveries: [], next_cursor: null } : { deliveries, next_cursor: 'further' },
      });
    });
    await tab.open(`/${place.org}/deliveries`);
    await page.getByText('Nothing is older').waitFor();
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    expect(tab.calls().length).toBeLessThanOrEqual(4);
    await page.unrouteAll({ behavior: 'wait' });
  });

  describe('a page with a file that does not come', () => {
    const chunk = /\/-\/assets\/palette/;
    const search = () => page.getByRole('dialog', { name: 'Search' });

    test('no key is lost while it is on its way', async () => {
      await page.route(chunk, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, SLOW_MILLIS));
        await route.continue();
      });
      await tab.open(`/${place.org}`);
      await page.keyboard.press('/');
      await page.keyboard.type('paymentz');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('s');
      await page.getByRole('combobox').waitFor();
      await page.keyboard.type(' 2');
      expect(await page.getByRole('combobox').inputValue()).toBe('payments 2');
      expect(new URL(page.url()).pathname).toBe(`/${place.org}`);
      await page.unrouteAll({ behavior: 'wait' });
    });

    test.each([
      ['the device is offline', 'This device is offline', true],
      ['the service cannot be reached', 'The service cannot be reached', false],
    ])('%s', async (_, sentence, isOffline) => {
      await page.route(chunk, (route) => route.abort());
      await tab.open(`/${place.org}`);
      await context.setOffline(isOffline);
      await page.keyboard.press('/');
      await search().getByText(sentence).waitFor({ timeout: STEP_MILLIS });
      expect(await search().innerText()).not.toContain('newer version');
      await context.setOffline(false);
      await page.unrouteAll({ behavior: 'wait' });
    });
  });
});
