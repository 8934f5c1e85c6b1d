import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { EventMoments } from '#shared/environments/rules/changes/event-moments.ts';
import type { ComparedRow } from '#shared/environments/rules/changes/pair-rows.ts';
import { fingerprint } from '../rows.ts';

const row = (name: string): ComparedRow => ({
  name,
  fingerprint: fingerprint(1),
  started: [1],
  compliant: true,
  flows: [],
});
const event = (type: string, name: string, index: number) => ({
  ...{ type, name, index },
  fingerprint: fingerprint(1),
  at: micros(index * 10),
});

describe('EventMoments', () => {
  const moments = new EventMoments([
    event('started', 'a', 2),
    event('exited', 'b', 3),
    event('started', 'a', 4),
    event('changed', 'c', 5),
    event('started', 'passing', 6),
    event('exited', 'passing', 7),
  ]);

  it('finds the last start, stop and change of an artifact', () => {
    expect(moments.of({ kind: 'replaced', before: row('b'), after: row('a') })).toEqual({ at: 40, index: 4 });
    expect(moments.of({ kind: 'stopped', before: row('b'), after: null })).toEqual({ at: 30, index: 3 });
    expect(moments.of({ kind: 'judged', before: row('c'), after: row('c') })).toEqual({ at: 50, index: 5 });
  });

  it('finds nothing for other instances, and for what has no event', () => {
    expect(moments.of({ kind: 'scaled', before: row('a'), after: row('a') })).toBeNull();
    expect(moments.of({ kind: 'started', before: null, after: row('late') })).toBeNull();
  });

  it('counts what ran only between both ends', () => {
    expect(moments.onlyBetween([row('b')], [row('a')])).toBe(1);
    expect(moments.onlyBetween([], [row('a'), row('passing')])).toBe(0);
  });
});
