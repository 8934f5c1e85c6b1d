import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LONGEST = 150;

/** `npm run bench` writes this page from sentences of any length. */
const MEASURED = 'docs/benchmarks.md';

it('lines of documents have at most 150 characters, outside of tables and blocks of code', () => {
  const documents = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  expect(documents.length).toBeGreaterThan(50);
  const long = documents.flatMap((file) => {
    // Blocks keep their line ends, so that the numbers of the lines after them stay right.
    const prose = readFileSync(`${ROOT}${file}`, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, (block) =>
      block.replace(/[^\n]/g, ''),
    );
    return prose
      .split('\n')
      .flatMap((line, i) => (line.length > LONGEST && !line.startsWith('|') ? [`${file}:${i + 1}`] : []));
  });
  expect(long.filter((place) => !place.startsWith(`${MEASURED}:`))).toEqual([]);
});
