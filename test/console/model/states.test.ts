import { describe, expect, it } from 'vitest';
import { STATES, stateOfVerdict, stateOfWord } from '#console/model/states.ts';

describe('states', () => {
  it.each([
    ['COMPLIANT', 'compliant'],
    ['NON-COMPLIANT', 'non-compliant'],
    ['NON_COMPLIANT', 'non-compliant'],
    ['INCOMPLETE', 'incomplete'],
    ['constructor', 'unknown'],
    [null, 'unknown'],
  ])('%s is %s', (word, state) => {
    expect(stateOfWord(word)).toBe(state);
  });

  it('an unknown verdict has not the tone of a failure', () => {
    expect([true, false, null, undefined].map((verdict) => STATES[stateOfVerdict(verdict)].tone)).toEqual([
      'good',
      'bad',
      'quiet',
      'quiet',
    ]);
  });
});
