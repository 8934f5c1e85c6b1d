import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import { KEYS } from '#test/story/shared-stack.ts';
import { launchBrowser } from '#test/support/browser.ts';

/** The longest time that a step in the browser may take. A machine with much other work needs several seconds. */
export const STEP_MILLIS = 30_000;
/** The longest time until an organization is filled and the browser has started. */
export const START_MILLIS = 120_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The script that watches each page from inside. */
const IN_PAGE = fileURLToPath(new URL('in-page.js', import.meta.url));

const isShift = (problem: string): boolean => problem.startsWith('layout shift');

/** How often a page that moves is opened. */
const MOST_VISITS = 3;

/** A tab of the browser. It notes everything that a page of the console must not do. */
export class Tab {
  readonly page: Page;
  readonly #origin: string;
  #problems: string[] = [];
  readonly #calls = new Set<string>();
  readonly #files = new Set<string>();

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    page.setDefaultTimeout(STEP_MILLIS);
    page.on('console', (message) => {
      if (message.type() === 'error') this.#problems.push(`error in the console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#problems.push(`error of a script: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.#problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => this.#problems.push(`window: ${popup.url()}`));
    page.on('request', (request) => {
      const url = request.url();
      if (url.startsWith(`${origin}/api/`)) this.#calls.add(url.slice(origin.length));
      if (url.startsWith(`${origin}/-/assets/`)) this.#files.add(url.slice(origin.length));
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) this.#problems.push(`request to ${url}`);
    });
  }

  /** Opens an address and waits until everything on the page is there. */
  async open(address: string): Promise<void> {
    this.#calls.clear();
    this.#files.clear();
    await this.page.goto(new URL(address, this.#origin).href, { waitUntil: 'commit' });
    await this.settled();
  }

  /**
   * Opens an address and returns everything that is wrong with the page. On a machine with other work, answers can take longer
   * than a page waits for them. What comes late then moves the page, so that only a page is wrong that moves each time.
   *
   * @param look returns what else is wrong with the open page
   */
  async visit(address: string, look: () => Promise<string[]> = async () => []): Promise<string[]> {
    for (let visit = 1; ; visit += 1) {
      await this.open(address);
      const problems = [...(await look()), ...(await this.alerts()), ...(await this.problems())];
      if (visit === MOST_VISITS || problems.length === 0 || !problems.every(isShift)) return problems;
    }
  }

  /** The texts of the alerts on the page. */
  async alerts(): Promise<string[]> {
    const texts = await this.page.getByRole('alert').allInnerTexts();
    return texts.map((text) => `alert: ${text}`);
  }

  /** What the page did wrong since the last call, apart from moving: for pages that a test changes or loads slowly. */
  async faults(): Promise<string[]> {
    return (await this.problems()).filter((problem) => !isShift(problem));
  }

  /** Prints what the page shows if the running test fails, because a timeout alone does not say why. */
  printIfTestFails(): void {
    onTestFailed(async () => {
      const focused = await this.page.evaluate<string>('document.activeElement.outerHTML');
      const fields = await this.page.evaluate<string[]>(
        "[...document.querySelectorAll('input, textarea')].map((field) => field.name + ': ' + field.value)",
      );
      const text = await this.page.locator('body').innerText();
      console.error([this.page.url(), text, `Fields: ${fields.join(', ')}`, `Focus: ${focused}`].join('\n'));
    });
  }

  /** Waits until the page has its heading and no part of it waits for an answer. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    await this.page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  /** The text of the only heading of the page, without the characters that separate directions of writing. */
  async heading(): Promise<string> {
    const headings = await this.page.locator('h1').allInnerTexts();
    expect(headings, 'headings of the first level').toHaveLength(1);
    return headings.join('');
  }

  /** Everything that the page did wrong since the last call. */
  async problems(): Promise<string[]> {
    const found = [...this.#problems, ...(await this.#inPage('found.splice(0)'))];
    this.#problems = [];
    return found;
  }

  /** Paths of the API that the open page has read, apart from who the caller is. A repeated read counts once. */
  calls(): string[] {
    return [...this.#calls].filter((path) => path !== '/api/v2/user');
  }

  /** Files of the application that the open page has asked for, be they in the browser's cache or not. */
  files(): string[] {
    return [...this.#files];
  }

  /** Forgets what the page did wrong because the test made its calls fail. */
  forgive(): void {
    this.#problems = [];
  }

  /** What axe finds. The dark theme changes the colours only, so only their contrast is checked again. */
  async barriers(themes: readonly ('light' | 'dark')[] = ['light', 'dark']): Promise<string[]> {
    await this.page.evaluate(AXE);
    const inLight = await this.#axe();
    if (!themes.includes('dark')) return inLight;
    await this.page.emulateMedia({ colorScheme: 'dark' });
    const inDark = await this.#axe(['color-contrast', 'link-in-text-block']);
    await this.page.emulateMedia({ colorScheme: 'light' });
    return [...inLight, ...inDark.map((text) => `dark: ${text}`)];
  }

  #axe(only: readonly string[] = []): Promise<string[]> {
    return this.#inPage(`barriers(${JSON.stringify(only)})`);
  }

  /** How many elements the page has. */
  nodes(): Promise<number> {
    return this.page.evaluate<number>('inPage.nodes()');
  }

  #inPage(call: string): Promise<string[]> {
    return this.page.evaluate<string[]>(`inPage.${call}`);
  }

  /** The widths at which the page is wider than the window, or a text is cut off. */
  async tooWide(widths: readonly number[]): Promise<string[]> {
    const found: string[] = [];
    const { width = 1280, height = 900 } = this.page.viewportSize() ?? {};
    for (const each of widths) {
      await this.page.setViewportSize({ width: each, height });
      const outside = [...(await this.#inPage('outside()')), ...(await this.#inPage('cut()'))];
      if (outside.length > 0) found.push(`${each} px: ${outside.join(' | ')}`);
    }
    await this.page.setViewportSize({ width, height });
    return found;
  }
}

/** Opens a window of its own, with its own cookies. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    colorScheme: 'light',
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  await context.addInitScript({ path: IN_PAGE });
  return context;
}

/** Opens a tab in a context. */
export const newTab = async (context: BrowserContext, origin: string): Promise<Tab> =>
  new Tab(await context.newPage(), origin);

/**
 * Starts a browser with one tab.
 *
 * @param key the key of who is signed in; null = nobody
 */
export async function openBrowser(origin: string, key: string | null = KEYS.ann) {
  const browser = await launchBrowser();
  const context = await newContext(browser);
  if (key !== null) await signIn(context, origin, key);
  const tab = await newTab(context, origin);
  return { browser, context, tab, page: tab.page };
}

/** Starts a session without the sign-in page. The context keeps its cookie. */
export async function signIn(context: BrowserContext, origin: string, key: string = KEYS.ann): Promise<void> {
  const answer = await context.request.post(`${origin}/api/v2/user/session`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status(), await answer.text()).toBe(201);
}
