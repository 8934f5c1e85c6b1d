import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { type Browser, chromium } from 'playwright-core';

/**
 * Where Linux distributions put Chromium. The headless shell comes first: it is Chromium without windows and menus, and takes
 * less processor time.
 */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Switches that keep the browser from calling other hosts. As root it runs only without its sandbox. */
const SWITCHES = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

const { REQUIRE_BROWSER } = env;

/** What to do if there is no browser. */
export const BROWSER_MISSING =
  'Chromium is not installed. To install it on Debian: apt-get install chromium-headless-shell';

/** Returns the path of the browser of this machine. */
export const findBrowser = (): string | undefined => PLACES.find((place) => existsSync(place));

/**
 * Whether tests in a browser are left out: this machine has no browser, and does not have to have one. `.ci/run` sets
 * `REQUIRE_BROWSER`, so that there the tests fail instead (docs/testing.md#tests-in-a-browser).
 */
export const isBrowserLeftOut = (): boolean => findBrowser() === undefined && REQUIRE_BROWSER !== '1';

/** @throws Error if this machine has no browser */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error(BROWSER_MISSING);
  return chromium.launch({ executablePath, args: SWITCHES });
}
