import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv, exit, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '#test/support/browser.ts';
import { startDemoStack } from './demo-stack.ts';
import { exampleAddresses } from './example-addresses.ts';
import { saveSignedRecords } from './signed-records.ts';

/**
 * `npm run screenshots -- FOLDER [--url http://localhost:8001 --key KEY] [--org demo] [--only trail,flow]`: opens every page
 * of the console and writes a picture of it, in both themes, at two widths. Without an address it starts a stack with demo
 * data. People look at the pictures; no test compares them.
 */

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    url: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
    org: { type: 'string', default: 'demo' },
    only: { type: 'string', default: '' },
  },
});
const [folder] = positionals;
if (folder === undefined || (values.url === '') !== (values.key === '')) {
  console.error('Usage: npm run screenshots -- FOLDER [--url URL --key KEY] [--org ORGANIZATION] [--only PAGE,PAGE]');
  exit(2);
}

const WIDTHS = [360, 1280] as const;
const THEMES = ['light', 'dark'] as const;

await using demo = values.url === '' ? await startDemoStack() : undefined;
const { url, key, org } = demo ?? values;
// The demo data have no signatures. A stack that somebody else uses stays as it is.
if (demo) await saveSignedRecords(demo);

const browser = await launchBrowser();

try {
  mkdirSync(folder, { recursive: true });
  const wanted = new Set(values.only.split(',').filter((name) => name !== ''));
  const pages = (await exampleAddresses({ url, key, org })).filter(({ name }) => wanted.size === 0 || wanted.has(name));
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
      await signIn(context);
      const page = await context.newPage();
      for (const { name, address } of pages) await picture(page, address, `${name}-${width}-${theme}.png`, folder);
      await context.close();
    }
  }
} finally {
  await browser.close();
}

async function signIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/-/sign-in`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(({ pathname }) => pathname === '/');
  await page.close();
}

async function picture(page: Page, address: string, file: string, into: string): Promise<void> {
  const problems: string[] = [];
  const note = (text: string) => problems.push(text);
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  page.on('pageerror', (error) => note(error.message));
  await page.goto(url + address);
  await page.locator('main h1').waitFor();
  await page.locator('[aria-busy]').first().waitFor({ state: 'detached' });
  const overflow = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
  if (overflow > 0) note(`The page is ${overflow} px wider than the window`);
  await page.screenshot({ path: resolve(into, file), fullPage: true });
  page.removeAllListeners();
  stdout.write(`${join(into, file)}  ${address}\n${problems.map((text) => `  ${text}\n`).join('')}`);
}
