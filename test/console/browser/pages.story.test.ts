import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { ALIASES, findPage, PAGES, type PageName, type PagePattern } from '#shared/console/pages.ts';
import { createOrganization, KEYS, newOrganizationName, operate } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { keyOfAccount, propose } from './drafts/propose.ts';
import { addressesIn, addressesInAnswers, addressesInText, unreadOperations } from './emitted-addresses.ts';
import { SLOT } from './hostile-files.ts';
import * as hostile from './hostile-organization.ts';
import * as records from './hostile-steps.ts';
import { SHORT } from './hostile-texts.ts';
import { newContext, newTab, openBrowser, START_MILLIS, signIn, type Tab } from './tab.ts';

/**
 * Every page of the console, and every address of a page that the service emits, in an organization whose texts are
 * hostile: markup, addresses of scripts, characters that change the direction of writing, texts without end.
 */

const WIDTHS = [360, 768, 1280, 1920];
/** Calls of a page beside the one about the caller (rules/web-console.md#reading-of-pages). */
const MOST_CALLS = 4;
/** Requests for files of the application when a browser opens its first page (rules/web-console.md#budgets). */
const MOST_FILES = 10;
/** Headings of pages that could not be shown. */
const FAILURES = ['Not found', 'Not allowed', 'No answer', 'No connection', 'Reload the console'];

describe.skipIf(isBrowserLeftOut())('the pages of the console in a hostile organization', () => {
  const place = { url: inject('stack').url, org: newOrganizationName('hostile'), key: KEYS.ann };
  const names: Record<string, string> = {
    org: place.org,
    flow: records.FLOW,
    flow_name: records.FLOW,
    trail: records.TRAIL,
    trail_name: records.TRAIL,
    fingerprint: records.FINGERPRINT,
    sha: records.COMMIT,
    env: records.ENVIRONMENT,
    env_name: records.ENVIRONMENT,
    snappish: '1',
    expression: '1',
    policy: records.POLICY,
    control: records.CONTROL,
    identifier: records.CONTROL,
    version_number: '1',
    expectation: records.EXPECTATION,
    gap: hostile.GAP,
    signer: records.TRUSTED,
    root: records.TRUSTED,
    watch: records.TRUSTED,
    recall: records.TRUSTED,
    name: records.TRUSTED,
    type: records.TYPE,
    action: '1',
    action_number: '1',
    notification_number: '3',
    repo: records.REPO,
    account: records.ACCOUNT,
    n: '0',
    'getTrailAttestations.name': SLOT,
    'getArtifactAttestations.name': 'scan',
    'getExpectation.name': records.EXPECTATION,
    'listExpectationVersions.name': records.EXPECTATION,
    'listExpectationSubjects.name': records.EXPECTATION,
    'getCustomAttestationType.name': records.TYPE,
    'getRepo.name': records.REPO,
    'getServiceAccount.name': records.ACCOUNT,
    'listServiceAccountKeys.name': records.ACCOUNT,
  };
  let receiver: Receiver;
  let browser: Browser | undefined;
  let tab: Tab;
  /** The addresses that were opened already. */
  const opened = new Set<string>();

  beforeAll(async () => {
    receiver = await startReceiver();
    await createOrganization(place.org, ['controls', 'evaluations'], { ann: 'admin', rob: 'reader' });
    await operate({ command: 'grant-sign-in', organization: place.org, group: [SHORT], shared: true });
    await hostile.fillHostile(place, receiver.url);
    const read = async <T>(path: string): Promise<T> => {
      const headers = { authorization: `Bearer ${place.key}` };
      return (await (await fetch(`${place.url}/api/v2${path}`, { headers })).json()) as T;
    };
    const evaluation = await vi.waitFor(
      async () => {
        const { evaluations } = await read<{ evaluations: { id: string; status: string }[] }>(
          `/evaluations/${place.org}`,
        );
        expect(evaluations).toMatchObject([{ status: 'completed' }]);
        return evaluations[0]?.id;
      },
      { timeout: START_MILLIS, interval: 100 },
    );
    const slot = `/attestations/${place.org}/${records.FLOW}/trail/${records.TRAIL}/${SLOT}`;
    const [attestation] = await read<{ attestation_id: string }[]>(slot);
    // Everybody in the organization sees the drafts of a service account.
    const agent = { ...place, key: await keyOfAccount(place, records.ACCOUNT) };
    const draft = await propose(agent, 'draft_attestation', {
      ...{ flow: records.FLOW, trail: records.TRAIL, attestation_name: 'proposed', is_compliant: true },
      ...{ description: `${SHORT}\n${SHORT}\n${SHORT}\n${SHORT}${'W'.repeat(4_000)}`, annotations: { note: SHORT } },
    });
    const found = { evaluation, evaluation_id: evaluation, attestation_id: attestation?.attestation_id, draft };
    Object.assign(names, found);

    ({ browser, tab } = await openBrowser(place.url));
    await answerGaps(tab);
  }, START_MILLIS);
  afterAll(async () => {
    await browser?.close();
    await receiver.stop();
  });

  /** Answers reads of a gap in place of the service. */
  const answerGaps = ({ page }: Tab): Promise<unknown> =>
    page.route(`**/api/v2/gaps/${place.org}/*`, (route) =>
      route.fulfill({ json: hostile.hostileGap(place.org, records.ENVIRONMENT) }),
    );

  /** Shows every attached file of the attestation whose details are open. */
  const openPreviews = async (): Promise<void> => {
    const details = tab.page.locator('dialog[open]');
    await details.locator('dl').first().waitFor();
    for (const button of await details.getByRole('button', { name: 'Preview' }).all()) await button.click();
    await details.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  };

  /** Opens an address and returns everything that is wrong with the page. */
  const visit = (address: string): Promise<string[]> =>
    tab.visit(address, async () => {
      const heading = await tab.heading();
      if (address.includes('?attestation_id=')) await openPreviews();
      return FAILURES.includes(heading) ? [`heading: ${heading}`] : [];
    });

  const addressOf = (pattern: string): string =>
    pattern.replace(/\{(\w+)(\+|:digits)?\}/g, (_, name: string) => {
      const value = names[name];
      if (value === undefined) throw new Error(`No record for the parameter ${name} of ${pattern}`);
      return value.split('/').map(encodeURIComponent).join('/');
    });

  test('every operation that takes a text fills the organization with a hostile one', () => {
    const writes = [...hostile.operations.values()].filter(({ body }) => ['json', 'multipart'].includes(body.kind));
    const undecided = writes.filter(
      ({ operation }) => !hostile.FILLING.has(operation) && !(operation in hostile.WITHOUT_TEXTS),
    );
    expect(undecided.map(({ operation }) => operation)).toEqual([]);
  });

  test('every operation whose answers have the address of a page by its definition is read', () => {
    expect(unreadOperations()).toEqual([]);
  });

  test.each(Object.entries(PAGES) as [PagePattern, PageName][])(
    '%s is a page that everybody can use, at every width and in both themes',
    async (pattern) => {
      expect(await visit(addressOf(pattern))).toEqual([]);
      expect(tab.calls().length, tab.calls().join(' ')).toBeLessThanOrEqual(MOST_CALLS);
      expect(tab.files().length, tab.files().join(' ')).toBeLessThanOrEqual(MOST_FILES);
      expect(tab.files().length).toBeGreaterThan(1);
      opened.add(tab.page.url());
      expect(new URL(tab.page.url()).pathname).toBe(addressOf(pattern));
      expect(await tab.barriers()).toEqual([]);
      expect(await tab.tooWide(WIDTHS)).toEqual([]);
    },
  );

  test.each([
    ['/{org}/environments/{env}', { tab: 'running' }],
    ['/{org}/environments/{env}', { tab: 'events' }],
    ['/{org}/environments/{env}/snapshots/{expression}', { tab: 'changes' }],
    ['/{org}/environments/{env}/snapshots/{expression}', { tab: 'policies' }],
    ['/{org}/compare', { a: `${records.ENVIRONMENT}#1`, b: records.ENVIRONMENT }],
    ['/{org}/components', { q: 'lodash' }],
    ['/{org}/components', { purl: 'pkg:npm/lodash', versions: 'vers:npm/*' }],
    ['/{org}/components', { purl: 'pkg:npm/lodash', versions: 'vers:npm/*', tab: 'builds' }],
    ['/{org}/environments/{env}', { tab: 'gaps' }],
    ['/{org}/flows/{flow}', { tab: 'gaps' }],
    ['/{org}/flows/{flow}', { tab: 'template' }],
    ['/{org}/flows/{flow}/trails/{trail}', { tab: 'events' }],
    ['/{org}/flows/{flow}/trails/{trail}', { tab: 'history' }],
    ['/{org}/flows/{flow}/trails/{trail}', { tab: 'raw' }],
    ['/{org}/flows/{flow}/trails/{trail}', { attestation_id: null }],
  ])('%s with %j cuts nothing off, also with the raw answer open', async (pattern, search) => {
    const id = names['attestation_id'] ?? '';
    const values = Object.entries<string | null>(search).map(([name, value]): [string, string] => [name, value ?? id]);
    const query = new URLSearchParams(values);
    await tab.open(`${addressOf(pattern)}?${query}`);
    for (const raw of await tab.page.getByText('Raw answer and curl').all()) {
      // The raw answer of the page lies below the details.
      await raw.evaluate('(element) => element.closest("details").setAttribute("open", "")');
    }
    expect(await tab.tooWide([360, 1280])).toEqual([]);
  });

  test('every page ends with the release and a link to the third-party notices', async () => {
    await tab.open(addressOf('/{org}/flows'));
    const footer = tab.page.locator('footer');
    expect(await footer.innerText()).toMatch(/^Version \S+, commit \S+, data format \d+\s+Third-party notices$/);
    const href = await footer.getByRole('link').getAttribute('href');
    const notices = await fetch(new URL(href ?? '', place.url));
    expect([notices.status, notices.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  });

  // What a reader may do, every other role may do too.
  test('every page of a record refuses a reader nothing', async () => {
    const context = await newContext(browser as Browser);
    await signIn(context, place.url, KEYS.rob);
    const reader = await newTab(context, place.url);
    await answerGaps(reader);
    const wrong: Record<string, string[]> = {};
    for (const pattern of Object.keys(PAGES).filter((one) => /^\/\{org\}.*\{/.test(one))) {
      await reader.open(addressOf(pattern));
      const problems = [...(await reader.alerts()), ...(await reader.faults())];
      if (problems.length > 0) wrong[pattern] = problems;
    }
    await context.close();
    expect(wrong).toEqual({});
  });

  test.each(Object.entries(ALIASES))('%s leads to %s', async (alias, pattern) => {
    expect(await visit(addressOf(alias))).toEqual([]);
    expect(new URL(tab.page.url()).pathname.replace(/\/$/, '')).toBe(addressOf(pattern));
  });

  test('every address in answers, mails and messages opens its page', async () => {
    const inAnswers = await addressesInAnswers(place, names);
    const trail = new URL(addressOf('/{org}/flows/{flow}/trails/{trail}'), place.url).href;
    await expect.poll(() => inMessages().has(trail), { timeout: START_MILLIS }).toBe(true);
    await expect.poll(() => inMails().has(trail), { timeout: START_MILLIS }).toBe(true);
    const all = [...new Set([...inAnswers, ...inMessages(), ...inMails()])];
    const wrong: Record<string, string[]> = {};
    const seen = new Set<string | undefined>();
    for (const address of all) {
      const { pathname } = new URL(address);
      seen.add(findPage(decodeURIComponent(pathname))?.name);
      if (opened.has(address)) continue;
      const problems = await visit(address);
      if (new URL(tab.page.url()).pathname !== pathname) problems.push(`leads to ${tab.page.url()}`);
      if (problems.length > 0) wrong[address] = problems;
    }
    expect(wrong).toEqual({});
    const kinds = [
      'flow',
      'trail',
      'artifact',
      'environment',
      'snapshot',
      'policy',
      'control',
      'expectation',
      'evaluation',
      'action',
      'draft',
    ];
    expect([...seen].toSorted()).toEqual(kinds.toSorted());
  });

  const inMessages = (): Set<string> =>
    new Set(receiver.requests.flatMap(({ body }) => addressesIn(JSON.parse(body), place.url)));

  /** The stack writes the mails of all stories into one folder. */
  function inMails(): Set<string> {
    const { mail } = inject('stack');
    const texts = readdirSync(mail).map((file) => readFileSync(join(mail, file), 'utf8'));
    const ours = texts.filter((text) => text.includes(place.org)).map(fromQuotedPrintable);
    return new Set(ours.flatMap((text) => addressesInText(text, place.url)));
  }
});

const fromQuotedPrintable = (text: string): string =>
  text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
