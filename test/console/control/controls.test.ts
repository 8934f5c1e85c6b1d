import { describe, expect, it } from 'vitest';
import {
  controlListSentence,
  controlSentence,
  decisionsSentence,
  requirementPlace,
  requirementsText,
} from '#console/control/model/controls.ts';

describe('controls', () => {
  it.each([
    ['No policy asks for it, so it covers no environment.', [], 0, 3],
    ['Covers 1 of 3 environments: strict asks for it.', ['strict'], 1, 3],
    ['Covers all of 2 environments: a and b ask for it.', ['a', 'b'], 2, 2],
    ['Covers 0 of 0 environments: strict asks for it.', ['strict'], 0, 0],
  ])('%s', (sentence, policies, covered, total) => {
    expect(controlSentence({ archived: false, policies_referencing: policies }, { covered, total })).toBe(sentence);
  });

  it('names an archived control as one', () => {
    expect(controlSentence({ archived: true, policies_referencing: [] }, { covered: 0, total: 1 })).toMatch(
      /^Archived\. /,
    );
  });

  it('says which decisions count, and finds the field of a refused requirement', () => {
    expect(requirementsText({})).toBeUndefined();
    expect(requirementsText({ requires: { flows: ['web'] } })).toBe('counts only decisions of the flow web');
    expect(requirementsText({ requires: { flows: ['a', 'b'], signed_by: ['c', 'd'], grade: 'logged' } })).toBe(
      'counts only decisions of the flows a and b, signed by c or d, of the grade logged or better',
    );
    expect(requirementPlace('requires.flows[1]')).toEqual({ field: 'flows', item: 1 });
    expect(requirementPlace('requires.grade')).toEqual({ field: 'grade' });
    expect(requirementPlace('name')).toBeUndefined();
  });

  it('counts decisions', () => {
    const yes = { is_compliant: true };
    const no = { is_compliant: false };
    expect(decisionsSentence([], false)).toBe('Nobody recorded a decision about it.');
    expect(decisionsSentence([yes], false)).toBe('The only decision is compliant.');
    expect(decisionsSentence([yes, yes], true)).toBe('All of the newest 2 decisions are compliant.');
    expect(decisionsSentence([yes, no], false)).toBe('1 of 2 decisions is not compliant.');
    expect(controlListSentence(1, true)).toBe('1 control fits the filter.');
    expect(controlListSentence(0, false)).toBe('The catalogue of controls is empty.');
  });
});
