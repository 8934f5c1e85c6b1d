import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { STEP_MILLIS, type Tab } from './tab.ts';

/** A person finds each answer with at most this many steps. */
export const MOST_STEPS = 3;

/**
 * Somebody who comes to the console with a question, and whose steps to the answer are counted: a click, a press of a key, a pasted text.
 *
 * @param opened the open tab; it is asked for at each step, because stories open it after they were defined
 */
export function personIn(org: string, opened: () => { tab: Tab; page: Page }) {
  const person = {
    steps: 0,

    /** Where somebody comes in: a page of the organization. */
    async comeIn(path: string): Promise<void> {
      await opened().tab.open(`/${org}${path}`);
      person.steps = 0;
    },
    async click(role: 'link' | 'button' | 'option', name: string | RegExp, within = 'body'): Promise<void> {
      await opened().page.locator(within).getByRole(role, { name }).first().click();
      person.steps += 1;
    },
    async press(key: string): Promise<void> {
      await opened().page.keyboard.press(key);
      person.steps += 1;
    },
    /** Pastes a text into the search box, and waits until it is found. */
    async paste(text: string, found: RegExp): Promise<void> {
      const { page } = opened();
      await page.getByRole('combobox').fill(text);
      await page.getByRole('option', { name: found }).first().waitFor();
      person.steps += 1;
    },
    /** Pastes a text on a page, beside every field. The search opens with it. */
    async pasteOnPage(text: string, found: RegExp): Promise<void> {
      const { page } = opened();
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('Control+v');
      await page.getByRole('option', { name: found }).first().waitFor();
      person.steps += 1;
    },
    /** The page is there, nothing on it is wrong, and the way to it was short enough. */
    async answers(path: string, sentence: RegExp, most = MOST_STEPS): Promise<void> {
      const { tab, page } = opened();
      await expect.poll(() => new URL(page.url()).pathname, { timeout: STEP_MILLIS }).toBe(`/${org}${path}`);
      await tab.settled();
      await expect
        .poll(() => page.locator('main header').first().innerText(), { timeout: STEP_MILLIS })
        .toMatch(sentence);
      expect(person.steps).toBeLessThanOrEqual(most);
      expect(await tab.faults()).toEqual([]);
    },
  };
  return person;
}
