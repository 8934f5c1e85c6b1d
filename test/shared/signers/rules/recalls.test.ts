import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import type { RecallTarget } from '#shared/signers/rules/recall-records.ts';
import { recalledBy, type Signed } from '#shared/signers/rules/recalls.ts';

const SIGNED: Signed = {
  signer: 'release',
  root: { name: 'own', version: 2 },
  run: 'https://ci.example/7',
  builder: 'https://ci.example/builder',
  key: 'k',
  bundle: 'b',
  times: [micros(50)],
};
const recall = (target: RecallTarget, from: number | null = null, until: number | null = null, deleted = false) => ({
  target,
  from: from === null ? null : micros(from),
  until: until === null ? null : micros(until),
  deleted,
});
const RELEASE: RecallTarget = { kind: 'signer', signer: 'release' };
const counts = (signed: Signed, at: number, ...recalls: ReturnType<typeof recall>[]) =>
  recalledBy(signed, micros(at), recalls).length === 0;

describe('recalledBy', () => {
  it.each<[RecallTarget, RecallTarget]>([
    [RELEASE, { kind: 'signer', signer: 'other' }],
    [
      { kind: 'run', run: 'https://ci.example/7' },
      { kind: 'run', run: 'https://ci.example/8' },
    ],
    [
      { kind: 'builder', builder: 'https://ci.example/builder' },
      { kind: 'builder', builder: 'https://ci.example' },
    ],
    [
      { kind: 'root', name: 'own', version: 2 },
      { kind: 'root', name: 'own', version: 1 },
    ],
    [
      { kind: 'root', name: 'own', version: null },
      { kind: 'root', name: 'other', version: null },
    ],
    [
      { kind: 'key', digest: 'k' },
      { kind: 'key', digest: 'l' },
    ],
    [
      { kind: 'bundles', digests: ['a', 'b'] },
      { kind: 'bundles', digests: ['a'] },
    ],
  ])('matches %j, and not %j', (same, other) => {
    expect([counts(SIGNED, 60, recall(same)), counts(SIGNED, 60, recall(other))]).toEqual([false, true]);
  });

  it('matches no bundle and no key of evidence that has none', () => {
    const bare = { ...SIGNED, key: null, bundle: null, run: null, builder: null };
    expect(counts(bare, 60, recall({ kind: 'key', digest: 'k' }), recall({ kind: 'bundles', digests: ['b'] }))).toBe(
      true,
    );
  });

  it.each([
    [null, null, false],
    [50, null, false],
    [51, null, true],
    [null, 51, false],
    [null, 50, true],
    [40, 45, true],
    [40, 60, false],
  ])('compares the time of the signature with %s to %s', (from, until, isCounted) => {
    expect(counts(SIGNED, 1000, recall(RELEASE, from, until))).toBe(isCounted);
  });

  it('goes by any of several times', () => {
    expect(counts({ ...SIGNED, times: [micros(10), micros(50)] }, 60, recall(RELEASE, 5, 11))).toBe(false);
  });

  it.each([
    [60, null, false],
    [60, 20, false],
    [9, null, true],
    [10, null, false],
  ])('goes by the report at %s if nothing proves the time, and no end helps', (at, until, isCounted) => {
    expect(counts({ ...SIGNED, times: [] }, at, recall(RELEASE, 10, until))).toBe(isCounted);
  });

  it('returns every recall that matches, and none that is deleted', () => {
    const [one, other] = [recall(RELEASE), recall({ kind: 'key', digest: 'k' })];
    expect(recalledBy(SIGNED, micros(60), [one, recall(RELEASE, null, null, true), other])).toEqual([one, other]);
  });
});
