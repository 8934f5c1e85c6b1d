import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, textOf } from './source-files.ts';

/** The anchor of a heading as code hosts make it: lower case, punctuation dropped, spaces as hyphens. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The anchors of a page. A heading that stands twice gets a number from the second time on. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = anchorOf(heading);
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

const anchors = new Map<string, Set<string>>();

/** Whether a page exists and has a heading with this anchor. */
export const hasHeading = (page: string, anchor: string): boolean => {
  if (!existsSync(join(ROOT, page))) return false;
  const known = anchors.get(page) ?? anchorsOf(textOf(page));
  anchors.set(page, known);
  return known.has(anchor);
};
