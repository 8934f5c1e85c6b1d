import { expect } from 'vitest';
import { hasHeading } from './headings.ts';

interface Rule {
  /** The rule in words, as one sentence. */
  rule: string;
  /** The page that explains the rule, with its heading: `docs/code-style.md#layout`. */
  page: string;
}

/**
 * Fails if a list of broken places is not empty. The failure names the rule, the page that explains the rule, and each place.
 *
 * @param found the places: a file, or a file with its line or its import
 * @throws Error if the page has no such heading, also if the list is empty
 */
export function expectNone(found: readonly string[], { rule, page }: Rule): void {
  const [file = '', heading = ''] = page.split('#');
  if (!hasHeading(file, heading)) throw new Error(`There is no heading ${page}. Name the page that explains: ${rule}`);
  if (found.length > 0) expect.fail([`${rule}. Read ${page}. This is broken by:`, ...found].join('\n  '));
}
