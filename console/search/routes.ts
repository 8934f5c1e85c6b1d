import { cutText } from '#shared/base/well-formed.ts';
import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { text } from '../routes/search-params.ts';
import { mayBeDigest } from './model/digest.ts';
import { searchDigest, search as searchNames } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

const LONGEST = 255;
export const readFound = (org: string, q: string) => read(searchNames, { org }, { q: cutText(q, LONGEST) });

/** The artifacts with a digest, and where they run. */
export const readDigest = (org: string, q: string) => read(searchDigest, { org, sha: q.trim().toLowerCase() });

export const searchRoute = route({
  name: 'search',
  search: { q: text },
  // Both start at once. Of a text that is no digest after all, the page does not show the second answer.
  reads: ({ org }, { q }) =>
    q === undefined ? [] : [readFound(org, q), ...(mayBeDigest(q) ? [readDigest(org, q)] : [])],
});
