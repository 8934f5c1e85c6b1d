import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROLES, type Role } from '#shared/callers/roles.ts';
import { PAGES } from '#shared/console/pages.ts';
import { CLIENT_RUNS_HERE, isClientInstalled } from '#test/story/client/client.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { pasted } from './pasted.ts';
import { openBrowser, START_MILLIS, type Tab } from './tab.ts';

/** The pages that need no record, in organizations without records, as every role. */

/** Addresses that have no parameter but the organization. */
const PATTERNS = Object.keys(PAGES).filter((pattern) => /^\/\{org\}[^{]*$/.test(pattern));

/** Pages that show the reason of a refusal to a role. A new role needs a decision here. */
const REFUSED: Record<Role, readonly string[]> = {
  admin: [],
  member: ['/{org}/audit', '/{org}/exports'],
  snapshotter: ['/{org}/audit', '/{org}/exports'],
  reader: ['/{org}/audit', '/{org}/exports'],
};

/** Pages that no command fills, with what they say instead. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  '/{org}/compare': 'Choose two snapshots',
  '/{org}/deliveries': 'when an event fits an action',
  '/{org}/search': 'Give the beginning of a digest',
  '/{org}/settings': 'No pipeline is trusted yet.',
  '/{org}/frequency': 'No environment has a snapshot yet.',
  '/{org}/components': 'The service reads the components of each SBOM that is reported',
  '/{org}/watches': 'Ask about a component and press «Watch it»',
  // Agents fill it.
  '/{org}/drafts': 'An agent can propose an attestation',
  // The operator who added the member.
  '/{org}/audit': 'added',
};

describe.skipIf(isBrowserLeftOut())('the pages of an organization without records', () => {
  const { url } = inject('stack');
  const orgs = Object.fromEntries(ROLES.map((role) => [role, newOrganizationName(`empty-${role}`)]));
  let browser: Browser | undefined;
  let tab: Tab;

  beforeAll(async () => {
    for (const role of ROLES) await createOrganization(orgs[role] ?? '', ['controls', 'evaluations'], { rob: role });
    ({ browser, tab } = await openBrowser(url, KEYS.rob));
  }, START_MILLIS);
  afterAll(async () => {
    await browser?.close();
  });

  const addressOf = (pattern: string, role: Role) => pattern.replace('{org}', orgs[role] ?? '');

  test.each(PATTERNS)('%s says what would fill it', async (pattern) => {
    expect(await tab.visit(addressOf(pattern, 'admin'))).toEqual([]);
    expect(await tab.heading()).not.toBe('');
    expect(await tab.barriers(['light'])).toEqual([]);
    const sentence = WITHOUT_COMMAND[pattern];
    if (sentence === undefined) expect(await tab.page.locator('main pre').count()).toBeGreaterThan(0);
    else expect(await tab.page.locator('main').innerText()).toContain(sentence);
  });

  test.each(ROLES.filter((role) => role !== 'admin'))(
    'the role %s is refused only what it may not read',
    async (role) => {
      const refused: string[] = [];
      const problems: string[] = [];
      for (const pattern of PATTERNS) {
        const found = await tab.visit(addressOf(pattern, role));
        if ((await tab.heading()) === 'Not allowed') refused.push(pattern);
        else problems.push(...found);
      }
      expect(refused).toEqual(REFUSED[role]);
      expect(problems).toEqual([]);
    },
  );

  test.skipIf(!CLIENT_RUNS_HERE || !isClientInstalled())('the first steps run as they stand on the page', async () => {
    const org = newOrganizationName('first-steps');
    await createOrganization(org, [], { rob: 'admin' });
    await tab.open(`/${org}`);
    expect(await tab.page.locator('main').innerText()).toContain(
      'Nothing: no trail has begun yet, and no action fails.',
    );
    const steps = await tab.page.getByRole('region', { name: 'First steps' }).locator('pre').allInnerTexts();
    const cwd = mkdtempSync(join(tmpdir(), 'first-steps-'));
    try {
      await pasted(steps, { cwd, input: KEYS.rob });
      // Whoever begins again, begins with the first step.
      await pasted(steps, { cwd, input: KEYS.rob });
    } finally {
      rmSync(cwd, { recursive: true });
    }
    await tab.open(`/${org}`);
    expect(await tab.page.locator('main').innerText()).toContain('release-1');
    await tab.open(`/${org}/environments/prod`);
    expect(await tab.page.locator('main').innerText()).toContain('app');
    expect(await tab.page.title()).toContain('✓');
  });
});
