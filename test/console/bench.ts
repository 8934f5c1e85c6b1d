import { argv, exit } from 'node:process';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '#test/support/browser.ts';
import { ROWS, showManyRows } from './browser/many-rows.ts';
import { exampleAddresses } from './example-addresses.ts';

/**
 * `npm run bench:console -- --url http://localhost:8001 --key KEY [--org demo] [--rounds 5]`: opens pages of a running stack in
 * Chromium and prints how long a reader waits, beside the budgets. No test compares these times.
 */

const { values } = parseArgs({
  args: argv.slice(2),
  options: {
    url: { type: 'string', default: 'http://localhost:8001' },
    key: { type: 'string', default: '' },
    org: { type: 'string', default: 'demo' },
    rounds: { type: 'string', default: '5' },
  },
});
if (values.key === '') {
  console.error('Usage: npm run bench:console -- --key KEY [--url URL] [--org ORGANIZATION] [--rounds N]');
  exit(2);
}

/** Runs in the page: notes when the heading of the page is there. Times are those since the navigation began. */
const WATCH = `
new MutationObserver((_, observer) => {
  if (!document.querySelector('main h1')) return;
  globalThis.readableAt = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });`;

/** Gives the time of the first paint with content. */
const PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [entry] = list.getEntriesByName('first-contentful-paint');
    if (entry) resolve(entry.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

/** Gives the time from a click on a link until its page has another heading. */
const FOLLOW = `(link) => new Promise((resolve) => {
  const heading = document.querySelector('main h1').textContent;
  const begun = performance.now();
  new MutationObserver((_, observer) => {
    const now = document.querySelector('main h1')?.textContent ?? heading;
    if (now === heading) return;
    observer.disconnect();
    resolve(performance.now() - begun);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  link.click();
})`;

/** Gives the time until the rows follow a text in the filter and are drawn. */
const FILTER = `(box) => new Promise((resolve) => {
  const begun = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, 'app-77');
  box.dispatchEvent(new Event('input', { bubbles: true }));
  const look = () => (document.querySelector('[data-row]')?.textContent.includes('app-77')
    ? resolve(performance.now() - begun) : requestAnimationFrame(look));
  requestAnimationFrame(look);
})`;

/** Gives the longest time between two frames while the rows are scrolled. */
const SCROLL = `(frame) => new Promise((resolve) => {
  let worst = 0, before = performance.now(), left = 60;
  const step = () => {
    const now = performance.now();
    worst = Math.max(worst, now - before);
    before = now;
    frame.scrollTop += 900;
    left -= 1;
    if (left === 0) resolve(worst); else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

interface Figure {
  what: string;
  budget: number;
  millis: number[];
}
const figures: Figure[] = [
  { what: 'first paint, empty cache', budget: 200, millis: [] },
  { what: 'verdict readable, empty cache', budget: 500, millis: [] },
  { what: 'first paint, files in the cache', budget: 100, millis: [] },
  { what: 'verdict readable, files in the cache', budget: 250, millis: [] },
  { what: 'to a preloaded page', budget: 100, millis: [] },
  { what: `${ROWS.toLocaleString('en')} rows: first rows, from their answer on`, budget: 400, millis: [] },
  { what: `${ROWS.toLocaleString('en')} rows: a key in the filter`, budget: 50, millis: [] },
  { what: `${ROWS.toLocaleString('en')} rows: worst frame while scrolling`, budget: 50, millis: [] },
];

const addresses = new Map((await exampleAddresses(values)).map(({ name, address }) => [name, values.url + address]));
const browser = await launchBrowser();
try {
  for (let n = 0; n < Number(values.rounds); n += 1) {
    const times = await round(browser);
    for (const [at, figure] of figures.entries()) figure.millis.push(times[at] ?? Number.NaN);
  }
} finally {
  await browser.close();
}
console.log('| What a reader waits for | budget, ms | median, ms | longest, ms |\n| --- | --: | --: | --: |');
for (const { what, budget, millis } of figures) {
  const sorted = millis.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  console.log(`| ${what} | ${budget} | ${median.toFixed(0)} | ${(sorted.at(-1) ?? Number.NaN).toFixed(0)} |`);
}

/** The times of one reader, in the order of the figures. */
async function round(chromium: Browser): Promise<number[]> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addInitScript(WATCH);
    const headers = { authorization: `Bearer ${values.key}` };
    await context.request.post(`${values.url}/api/v2/user/session`, { headers });
    const page = await context.newPage();
    const cold = await opened(page, addressOf('trail'));
    const warm = await opened(page, addressOf('trail'));
    return [...cold, ...warm, await followed(page), ...(await manyRows(context))];
  } finally {
    await context.close();
  }
}

function addressOf(page: string): string {
  const address = addresses.get(page);
  if (address === undefined) throw new Error(`The organization has no record for the page ${page}`);
  return address;
}

async function opened(page: Page, address: string): Promise<[paint: number, readable: number]> {
  await page.goto(address);
  await page.locator('main h1').waitFor();
  const paint = await page.evaluate<number>(PAINT);
  return [paint, await page.evaluate<number>('readableAt')];
}

/** Points at the link to the flow, so that the router prepares its page, and follows it. */
async function followed(page: Page): Promise<number> {
  const link = page.locator('main header').getByRole('link', { name: /^flow/ });
  await link.hover();
  await page.waitForLoadState('networkidle');
  return page.evaluate<number>(`(${FOLLOW})(document.querySelector('main header a[href*="/flows/"]'))`);
}

async function manyRows(context: BrowserContext): Promise<[first: number, filter: number, frame: number]> {
  const page = await context.newPage();
  await showManyRows(page);
  await page.goto(addressOf('snapshot'));
  await page.locator('table[aria-rowcount] [data-row]').first().waitFor();
  const first = await page.evaluate<number>(
    `readableAt - performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/artifacts')).responseEnd`,
  );
  const frame = await page.evaluate<number>(
    `(${SCROLL})(document.querySelector('table[aria-rowcount]').parentElement)`,
  );
  const filter = await page.evaluate<number>(`(${FILTER})(document.querySelector('main input[type=search]'))`);
  await page.close();
  return [first, filter, frame];
}
