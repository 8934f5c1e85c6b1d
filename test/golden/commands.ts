/** Arguments of vitest. The last one is the file that is run. */

const run = (file: string): readonly string[] => ['run', '--project', 'table', file];

/** Writes the golden table of the checkout. */
export const WRITER = run('test/golden/write.table.test.ts');
/** Reads golden tables. Later releases run this file of earlier ones, so its path and its variables stay. */
export const READER = run('test/golden/golden.table.test.ts');
