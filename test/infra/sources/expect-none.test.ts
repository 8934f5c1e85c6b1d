import { describe, expect, it } from 'vitest';
import { expectNone } from './expect-none.ts';

const RULE = { rule: 'A folder holds at most 25 files', page: 'docs/code-style.md#layout' };

describe('expectNone', () => {
  it('accepts an empty list', () => {
    expect(() => expectNone([], RULE)).not.toThrow();
  });

  it('fails with the rule, the page and every place', () => {
    expect(() => expectNone(['shared/a: 26 files', 'shared/b: 31 files'], RULE)).toThrow(
      [
        'A folder holds at most 25 files. Read docs/code-style.md#layout. This is broken by:',
        'shared/a: 26 files',
        'shared/b: 31 files',
      ].join('\n  '),
    );
  });

  it('fails if the page does not exist or has no such heading, also with an empty list', () => {
    expect(() => expectNone([], { ...RULE, page: 'docs/code-style.md#lay-out' })).toThrow(
      'There is no heading docs/code-style.md#lay-out',
    );
    expect(() => expectNone([], { ...RULE, page: 'docs/no-page.md#layout' })).toThrow(
      'There is no heading docs/no-page.md#layout',
    );
  });
});
