import { count, listed } from '../../model/words.ts';
import type { Impact } from '../operations.ts';

/** What is said of what a recall concerns (rules/verified-evidence.md#impact). */

type Page = Pick<Impact, 'trails' | 'environments' | 'next_cursor'>;

/** What the recall concerns, and what of it runs. A list of several pages counts its first one only. */
export function impactSentence({ trails, environments, next_cursor: next }: Page): string {
  const rest = next === null ? '' : ' There are more trails to look at.';
  if (trails.length === 0) return `No evidence of the trails on this page falls under it.${rest}`;
  const fingerprints = new Set(trails.flatMap(({ artifacts }) => artifacts.map((one) => one.fingerprint)));
  const found = `Evidence of ${count(trails.length, 'trail')} and ${count(fingerprints.size, 'artifact')} falls under it`;
  const names = environments.map(({ environment }) => environment);
  const runs = names.length === 0 ? 'nothing of it runs' : `it runs in ${listed(names)}`;
  return `${found}; ${runs}.${rest}`;
}

/** The same for a form: the sentence, then a line for each environment. */
export const impactLines = (page: Page): string[] => [
  impactSentence(page),
  ...page.environments.map(({ environment, artifacts }) => `${environment}: ${count(artifacts, 'artifact')}`),
];
