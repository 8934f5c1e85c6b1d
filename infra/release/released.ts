import { readFileSync, writeFileSync } from 'node:fs';
import type { FixedResource } from './fixed-resources.ts';

/** The resources of the last release: one JSON object per line, so that a difference of the file reads well. */
const FILE = new URL('./released.jsonl', import.meta.url);

export const readReleased = (): FixedResource[] =>
  readFileSync(FILE, 'utf8')
    .trimEnd()
    .split('\n')
    // `npm run replacements -- --write` wrote the lines.
    .map((line) => JSON.parse(line) as FixedResource);

export const writeReleased = (resources: readonly FixedResource[]): void =>
  writeFileSync(FILE, resources.map((resource) => `${JSON.stringify(resource)}\n`).join(''));

/** Returns the replacements that the section «Unreleased» of the changelog does not name. */
export function unannounced<R extends { id: string }>(found: readonly R[], changelog: string): R[] {
  const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('Unreleased\n'));
  return found.filter(({ id }) => !unreleased?.includes(`\`${id}\``));
}
