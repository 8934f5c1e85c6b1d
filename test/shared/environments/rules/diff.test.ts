import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffRow, environmentDiff } from '#shared/environments/rules/diff.ts';
import { fingerprint, rowSets } from './rows.ts';

const row = (digit: number | string, started: number[], more: Partial<DiffRow> = {}): DiffRow => ({
  name: `app-${digit}`,
  fingerprint: fingerprint(digit),
  started,
  flow: 'build',
  commitUrl: `https://git.example/${digit}`,
  ...more,
});
const diff = (first: DiffRow[], second: DiffRow[]) =>
  environmentDiff({ env: 'stage', index: 4, rows: first }, { env: 'prod', index: 7, rows: second });
const pod = (creationTimestamp: number) => ({ namespace: 'n', creationTimestamp, owners: [] });

describe('the difference of two snapshots', () => {
  test('shows what runs on one side only, what scaled and what is the same, by fingerprint', () => {
    const found = diff(
      [row(9, [1]), row(3, [10, 20]), row(2, [5]), row(1, [7])],
      [row(1, [8]), row(3, [30]), row(8, [2, 4]), row(4, [6], { flow: null, commitUrl: null })],
    );
    const shown = (digit: number, most_recent_timestamp: number) => ({
      fingerprint: fingerprint(digit),
      name: `app-${digit}`,
      flow: 'build',
      commit_url: `https://git.example/${digit}`,
      most_recent_timestamp,
    });
    expect(found).toEqual({
      snappish1: {
        snapshot_id: 'stage#4',
        artifacts: [
          { ...shown(2, 5), instance_count: 1 },
          { ...shown(9, 1), instance_count: 1 },
        ],
      },
      snappish2: {
        snapshot_id: 'prod#7',
        artifacts: [
          { ...shown(4, 6), flow: null, commit_url: null, instance_count: 1 },
          { ...shown(8, 4), instance_count: 2 },
        ],
      },
      changed: { artifacts: [{ ...shown(3, 30), s1_instance_count: 2, s2_instance_count: 1 }] },
      'not-changed': { artifacts: [{ ...shown(1, 8), instance_count: 1 }] },
    });
  });

  test('separates equal fingerprints with different names', () => {
    const found = diff([row(1, [1], { name: 'a' })], [row(1, [1], { name: 'b' })]);
    expect(found.snappish1.artifacts.map(({ name }) => name)).toEqual(['a']);
    expect(found.snappish2.artifacts.map(({ name }) => name)).toEqual(['b']);
  });

  test('names the pods of artifacts that run in pods', () => {
    const found = diff([row(1, [1], { pods: { old: pod(1) } })], [row(1, [3, 2], { pods: { b: pod(3), a: pod(2) } })]);
    expect(found.changed.artifacts).toMatchObject([{ pods: ['a', 'b'] }]);
    expect(diff([row(1, [1])], []).snappish1.artifacts[0]).not.toHaveProperty('pods');
  });

  test('adds the instances of an artifact in several members of a group', () => {
    const member = (name: string, at: number) => row(1, [at], { pods: { [name]: pod(at) } });
    expect(diff([], [member('x', 9), member('y', 5)]).snappish2.artifacts).toMatchObject([
      { instance_count: 2, most_recent_timestamp: 9, pods: ['x', 'y'] },
    ]);
  });

  test('exchanges its blocks when the sides are exchanged', () => {
    const rows = rowSets.map((set) => set.map((one): DiffRow => ({ ...one, flow: null, commitUrl: null })));
    fc.assert(
      fc.property(rows, rows, (a, b) => {
        const [there, back] = [diff(a, b), diff(b, a)];
        expect(back.snappish1.artifacts).toEqual(there.snappish2.artifacts);
        expect(back.snappish2.artifacts).toEqual(there.snappish1.artifacts);
        const counts = (found: typeof there) => found.changed.artifacts.map((one) => [one.s1_instance_count, one.name]);
        expect(counts(back)).toEqual(there.changed.artifacts.map((one) => [one.s2_instance_count, one.name]));
        const shown = [...there.snappish1.artifacts, ...there.changed.artifacts, ...there['not-changed'].artifacts];
        expect(shown).toHaveLength(a.length);
        expect(diff(a, a)['not-changed'].artifacts).toHaveLength(a.length);
      }),
    );
  });
});
