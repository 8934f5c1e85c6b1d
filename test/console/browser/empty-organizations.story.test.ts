import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ROLES, type Role } from '#shared/callers/roles.ts';
import { PAGES } from '#shared/console/pages.ts';
import { CLIENT_PROGRAM, CLIENT_RUNS_HERE, isClientInstalled } from '#test/story/client/client.ts';
import { createOrganization, KEYS, newOrganizationName } from '#test/story/shared-stack.ts';
import { isBrowserLeftOut } from '#test/support/browser.ts';
import { openBrowser, START_MILLIS, type Tab } from './tab.ts';

/** The pages that need no record, in organizations without records, as every role. */

const { PATH } = env;
/** Addresses that have no parameter but the organization. */
const PATTERNS = Object.keys(PAGES).filter((pattern) => /^\/\{org\}[^{]*$/.test(pattern));

/** Pages that show the reason of a refusal to a role. A new role needs a decision here. */
const REFUSED: Record<Role, readonly string[]> = {
  admin: [],
  member: ['/{org}/audit'],
  snapshotter: ['/{org}/audit'],
  reader: ['/{org}/audit'],
};

/** Pages that no command fills, with what they say instead. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  '/{org}/compare': 'Choose two snapshots',
  '/{org}/deliveries': 'when an event fits an action',
  '/{org}/search': 'Give the beginning of a digest',
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
    await pasted(steps, KEYS.rob);
    await tab.open(`/${org}`);
    expect(await tab.page.locator('main').innerText()).toContain('release-1');
    await tab.open(`/${org}/environments/prod`);
    expect(await tab.page.locator('main').innerText()).toContain('app');
  });
});

/** Runs texts in a bash without settings, in an empty folder. What bash asks for comes from its input. */
async function pasted(texts: readonly string[], input: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'first-steps-'));
  try {
    await new Promise<void>((resolve, reject) => {
      const child = execFile(
        'bash',
        ['--noprofile', '--norc', '-e', '-c', texts.join('\n')],
        { cwd, env: { HOME: cwd, PATH: `${dirname(CLIENT_PROGRAM)}:${PATH}` } },
        (error, stdout, stderr) => (error ? reject(new Error(`${stdout}${stderr}`, { cause: error })) : resolve()),
      );
      child.stdin?.end(`${input}\n`);
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
