import { describe, expect, it } from 'vitest';
import {
  commitLabel,
  comparisonOf,
  comparisonSentence,
  partsOfSnappish,
} from '#console/environment/model/comparison.ts';
import { nameWithoutTag } from '#shared/base/reasons/artifact-name.ts';

const artifact = (name: string, instances = 1) => ({
  fingerprint: name,
  name,
  flow: null,
  commit_url: null,
  most_recent_timestamp: 1,
  instance_count: instances,
});
const diff = (first: string[], second: string[], same: string[] = []) => ({
  snappish1: { snapshot_id: 'prod#12', artifacts: first.map((name) => artifact(name)) },
  snappish2: { snapshot_id: 'staging#9', artifacts: second.map((name) => artifact(name)) },
  changed: { artifacts: [] },
  'not-changed': { artifacts: same.map((name) => artifact(name)) },
});

describe('the comparison of two snapshots', () => {
  it('pairs artifacts whose names differ in the tag only', () => {
    const { changed, onlyFirst, onlySecond } = comparisonOf(
      diff(['host:5000/web:1', 'old:1'], ['host:5000/web:2', 'new:1']),
    );
    expect(changed.map(({ name, before, after }) => [name, before.name, after.name])).toEqual([
      ['web', 'host:5000/web:1', 'host:5000/web:2'],
    ]);
    expect(onlyFirst.map(({ name }) => name)).toEqual(['old:1']);
    expect(onlySecond.map(({ name }) => name)).toEqual(['new:1']);
  });

  it('loses no artifact if a name stands several times on one side', () => {
    const { changed, onlyFirst, onlySecond } = comparisonOf(diff(['web:1', 'web:2'], ['web:3']));
    expect([changed.length, onlyFirst.length, onlySecond.length]).toEqual([1, 1, 0]);
  });

  it('counts the same artifact with other instances as changed', () => {
    const { instance_count: _, ...scaled } = artifact('web:1');
    const found = comparisonOf({
      ...diff([], []),
      changed: { artifacts: [{ ...scaled, s1_instance_count: 1, s2_instance_count: 3 }] },
    });
    expect(found.changed.map(({ before, after }) => [before.instances, after.instances])).toEqual([[1, 3]]);
  });

  it.each([
    ['the same', diff([], [], ['a', 'b']), 'prod#12 and staging#9 run the same 2 artifacts.'],
    ['nothing', diff([], []), 'Nothing runs in prod#12, and nothing runs in staging#9.'],
    [
      'something else',
      diff(['web:1', 'x'], ['web:2', 'y', 'z'], ['a']),
      'prod#12 and staging#9 differ: 1 artifact changed, 1 only in prod#12, 2 only in staging#9, 1 the same.',
    ],
  ])('says in a sentence that both run %s', (_, given, sentence) => {
    expect(comparisonSentence(comparisonOf(given), 'prod#12', 'staging#9')).toBe(sentence);
  });

  it.each([
    ['host:5000/web:1.2', 'host:5000/web'],
    ['host:5000/web', 'host:5000/web'],
    ['web@sha256:abc', 'web'],
    ['/opt/app/lib.so', '/opt/app/lib.so'],
  ])('takes the tag off %s', (name, without) => {
    expect(nameWithoutTag(name)).toBe(without);
  });

  it.each([
    ['prod', { env: 'prod', expression: '-1' }],
    ['prod#12', { env: 'prod', expression: '12' }],
    ['prod~3', { env: 'prod', expression: '~3' }],
    ['prod@{now}', { env: 'prod', expression: '@{now}' }],
  ])('finds the environment and the snapshot in %s', (text, parts) => {
    expect(partsOfSnappish(text)).toEqual(parts);
  });

  it('shows the number of a commit if the address ends with one', () => {
    expect(commitLabel('https://git.example.com/c/0f2ea3f6c0b8e1f6')).toBe('0f2ea3f6');
    expect(commitLabel('https://git.example.com/c/main')).toBe('commit');
  });
});
