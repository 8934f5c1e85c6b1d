import { describe, expect, test } from 'vitest';
import { expectNone } from './sources/expect-none.ts';
import { filesBelow, textOf } from './sources/source-files.ts';

/** How the test files are written. docs/code-style.md#tests explains the rules. */

/** Words that begin a fragment, which needs the title around it to be understood. */
const PREPOSITIONS =
  'above|after|among|as|at|before|behind|below|beside|besides|between|by|despite|during|except|for|from|in|inside|into|of|off|on|outside|over|through|to|under|until|up|upon|via|while|with|within|without';
const STARTS_WITH_PREPOSITION = new RegExp(`^(?:${PREPOSITIONS})\\b`);

/** The first argument of `test`, `it` and `describe`, also after `.each(…)` or another call that returns one of them. */
const TITLE = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;
/** The first text of a row. It is the beginning of the title where the title begins with `%s`. */
const ROW = /\[\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g;

/** Reads the titles of a source. Titles that begin with `%s` are replaced by those of their rows. */
function titlesOf(text: string): string[] {
  return [...text.matchAll(TITLE)].flatMap(({ index, 2: title = '' }) => {
    const table = text.slice(text.lastIndexOf('.each', index), index);
    return title.startsWith('%s') ? [...table.matchAll(ROW)].map(([, , row = '']) => row) : [title];
  });
}

const tests = filesBelow('test').filter((file) => file.endsWith('.test.ts'));

describe('the files of the tests', () => {
  test('titles stand alone: none begins with a preposition', () => {
    const titles = tests.flatMap((file) => titlesOf(textOf(file)).map((title) => ({ file, title })));
    expect(titles.length).toBeGreaterThan(4_000);
    const fragments = titles.filter(({ title }) => STARTS_WITH_PREPOSITION.test(title));
    expectNone(
      fragments.map(({ file, title }) => `${file}: ${title}`),
      { rule: 'A title stands alone. It does not begin with a preposition', page: 'docs/code-style.md#tests' },
    );
  });

  test('titles are read from calls and from rows', () => {
    const source = `
      describe.skipIf(isSlow)('a list', () => {
        test.each([['one entry', 1], ['two entries', 2]])('%s has a page', (_, size) => {});
        it('is empty', { timeout: 5 }, () => {});
      });`;
    expect(titlesOf(source)).toEqual(['a list', 'one entry', 'two entries', 'is empty']);
  });
});
