import { describe, expect, it, test } from 'vitest';
import { castsWithoutReason } from './casts.ts';
import { expectNone } from './expect-none.ts';
import { sources } from './import-graph.ts';

test('every cast has a reason beside it', () => {
  expect(sources.length).toBeGreaterThan(400);
  expectNone(
    sources.flatMap((file) => castsWithoutReason(file).map((line) => `${file}:${line}`)),
    {
      rule: 'A cast (`as T`) has a comment on its line or on the line above that says why the compiler cannot know the type',
      page: 'docs/code-style.md#types-and-functions',
    },
  );
});

describe('castsWithoutReason', () => {
  it.each([
    ['a cast', 'const a = b as A;'],
    ['a cast by way of unknown', 'const a = b as unknown as A;'],
    ['a cast after a comment that ends two lines above', '// A reason.\n\nconst a = b as A;'],
    ['a cast with a comment inside its line', 'const a = /* a reason */ b as A;'],
    ['a cast in a template', `const a = \`\${b as A}\`;`],
    ['a cast in an element', 'const a = <A b={c as B} />;'],
  ])('finds %s', (_, text) => {
    expect(castsWithoutReason('a.tsx', text)).toEqual([text.split('\n').length]);
  });

  it('finds the line of the type in a cast of several lines', () => {
    expect(castsWithoutReason('a.ts', '// A reason.\nconst a = f(\n  b,\n) as A;')).toEqual([4]);
  });

  it.each([
    ['a reason on the same line', 'const a = b as A; // A reason.'],
    ['a reason on the line above', '// A reason.\nconst a = b as A;'],
    ['a docstring on the line above', '/** A reason. */\nconst a = b as A;'],
    ['as const', "const a = ['b'] as const;"],
    ['satisfies', 'const a = b satisfies A;'],
    ['imports and exports', "import { a as b } from './a.ts';\nimport * as c from './c.ts';\nexport { b as d, c };"],
    ['texts and comments', "const a = 'b as A' + `c as C`;\n// d as D\n"],
    ['the text of an element', 'const a = <b>as A</b>;'],
  ])('accepts %s', (_, text) => {
    expect(castsWithoutReason('a.tsx', text)).toEqual([]);
  });
});
