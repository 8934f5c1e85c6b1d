import { describe, expect, it } from 'vitest';
import { changeText, diffLines, nearChanges } from '#console/model/diff.ts';
import { policyListSentence, policySentence } from '#console/policy/model/policy.ts';

describe('policies', () => {
  const policy = (name: string, ...names: string[]) => ({
    name,
    consuming_envs: names,
    versions: [{ version: 2, policy_yaml: '', comment: '', timestamp: 0, created_by: 'ann' }],
  });

  it('says how many environments they judge, and which are attached to none', () => {
    expect(policyListSentence([])).toBe('No environment can be judged: there is no policy yet.');
    expect(policyListSentence([policy('a', 'prod')])).toBe('1 policy judges 1 environment.');
    expect(policyListSentence([policy('a', 'prod', 'test'), policy('b', 'prod'), policy('c')])).toBe(
      '2 policies judge 2 environments. c is attached to none.',
    );
  });

  it('says which environments of a policy are not compliant, and nothing of unknown states', () => {
    const judged = (name: string, state: boolean | null) => ({ name, state });
    const strict = policy('strict', 'prod', 'test');
    expect(policySentence(policy('strict'), [])).toContain('judges nothing');
    expect(policySentence(strict, [])).toBe('Version 2 judges prod and test.');
    expect(policySentence(strict, [judged('prod', false), judged('test', true)])).toContain('prod is not compliant.');
    expect(policySentence(strict, [judged('prod', true), judged('test', true)])).toContain('All are compliant.');
    expect(policySentence({ ...strict, consuming_envs: ['prod'] }, [judged('prod', true)])).toContain(
      'judges prod. It is compliant.',
    );
    expect(policySentence(strict, [judged('prod', true), judged('test', null)])).toBe(
      'Version 2 judges prod and test.',
    );
  });

  it('compares two texts line by line', () => {
    const lines = diffLines('a\nb\nc\n', 'a\nB\nc\nd\n');
    expect(lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added B',
      'same c',
      'added d',
    ]);
    expect(lines.map(({ before, after }) => [before, after])).toEqual([
      [1, 1],
      [2, null],
      [null, 2],
      [3, 3],
      [null, 4],
    ]);
    expect(changeText(lines)).toBe('2 lines added, 1 removed.');
    expect(changeText(diffLines('a\r\nb', 'a\nb\n'))).toBe('The texts are the same.');
  });

  it('leaves out the lines far from each change', () => {
    const text = Array.from({ length: 20 }, (_, n) => `line ${n}`);
    const shown = nearChanges(diffLines(text.join('\n'), [...text, 'last'].join('\n')));
    expect(shown.map((line) => line?.text ?? null)).toEqual([null, 'line 17', 'line 18', 'line 19', 'last']);
  });
});
