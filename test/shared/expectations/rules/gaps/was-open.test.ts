import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { wasOpenAt } from '#shared/expectations/rules/gaps/was-open.ts';

type Given = Parameters<typeof wasOpenAt>[0];
const found = micros(100);
const lasting: Given = { state: 'open', detectedAt: found, changedAt: found, until: null, explanation: null };
const LATE: Partial<Given> = { state: 'unknown', wasOpen: true, until: micros(90) };
const excusedAt = (at: number) => ({ text: 'planned', by: 'ann', at: micros(at) });

describe('a gap at an instant', () => {
  it.each<[string, Partial<Given>, number, boolean]>([
    ['is open from the instant at which it was found', {}, 100, true],
    ['is not open before it was found', {}, 99, false],
    ['is open until its end', { state: 'closed', until: micros(200) }, 199, true],
    ['is not open at its end', { state: 'closed', until: micros(200) }, 200, false],
    ['is open until it was excused', { explanation: excusedAt(150) }, 149, true],
    ['is not open once it was excused', { explanation: excusedAt(150) }, 150, false],
    ['is open until the service saw what had come in time', { ...LATE, changedAt: micros(200) }, 199, true],
    ['is not open from then on', { ...LATE, changedAt: micros(200) }, 200, false],
    ['is never open if it is unknown', { state: 'unknown' }, 150, false],
  ])('%s', (_, given, at, isOpen) => {
    expect(wasOpenAt({ ...lasting, ...given }, micros(at))).toBe(isOpen);
  });
});
