import { describe, expect, it } from 'vitest';
import { Scope } from '#verify/scope.ts';

describe('the scope of a verification', () => {
  it('counts lines that nobody claims as not covered, and names them', () => {
    const scope = new Scope();
    for (const name of ['moments/moment', 'moments/moment', 'moments/moment', 'tags/tag']) scope.line(name);
    scope.stands('moments/moment', 'proved');
    scope.stands('moments/moment', 'later');
    scope.note('tags/tag', 'only the names are compared');
    expect(scope.rows()).toEqual([
      {
        name: 'moments/moment',
        lines: 3,
        proved: 1,
        follows: 0,
        erased: 0,
        later: 1,
        'not covered': 1,
        note: undefined,
      },
      {
        name: 'tags/tag',
        lines: 1,
        proved: 0,
        follows: 0,
        erased: 0,
        later: 0,
        'not covered': 1,
        note: 'only the names are compared',
      },
    ]);
    expect(scope.exceptions()).toEqual([
      'not covered: moments/moment (1), tags/tag (1)',
      'after the checkpoint: moments/moment (1)',
    ]);
  });

  it('has no exception if every line is proved or follows', () => {
    const scope = new Scope();
    for (const name of ['moments/moment', 'builds/build']) scope.line(name);
    scope.stands('moments/moment', 'proved');
    scope.stands('builds/build', 'follows');
    expect(scope.exceptions()).toEqual([]);
  });

  it('refuses more standings than lines, so no line is counted twice', () => {
    const scope = new Scope();
    scope.line('moments/moment');
    scope.stands('moments/moment', 'proved');
    scope.stands('moments/moment', 'proved');
    expect(() => scope.rows()).toThrow('2 of 1 lines of moments/moment were verified');
  });
});
