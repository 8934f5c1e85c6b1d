import { expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { rangesBefore, withoutRestarts } from '#shared/expectations/rules/restarts.ts';

const start = (at: number, fingerprint = 'f', environment = 'prod') => ({
  environment,
  fingerprint,
  at: micros(at),
  number: at,
});
const kept = (starts: readonly ReturnType<typeof start>[], met: readonly (number | null)[]) =>
  withoutRestarts(
    starts,
    met.map((one) => (one === null ? null : micros(one))),
  ).map((one) => one.start.at);

it('a start of an artifact that nobody has decided about yet is a restart, in whatever order starts are read', () => {
  expect(kept([start(10), start(20), start(30)], [null, null, null])).toEqual([10]);
  expect(kept([start(30), start(20), start(10)], [35, 35, 35])).toEqual([10]);
});

it('a start after a decision is a new one, also if the decision has lost its force', () => {
  expect(kept([start(10), start(20)], [15, 20])).toEqual([10, 20]);
  expect(kept([start(10), start(20), start(30)], [20, null, null])).toEqual([10, 20]);
});

it('other artifacts and other environments have starts of their own', () => {
  expect(kept([start(10), start(20, 'g'), start(30, 'f', 'test')], [null, null, null])).toEqual([10, 20, 30]);
});

it('two names that start with one snapshot are one start', () => {
  const one = { ...start(10), number: 1 };
  const other = { ...start(10), number: 2 };
  expect(withoutRestarts([other, one], [null, null]).map(({ start: { number } }) => number)).toEqual([1]);
  expect(withoutRestarts([other, one], [micros(10), micros(10)])).toHaveLength(2);
});

it('events before several starts are in one range, unless they lie apart', () => {
  expect(rangesBefore([205, 201, 500, 203], 100)).toEqual([
    { from: 101, to: 204 },
    { from: 400, to: 499 },
  ]);
  expect(rangesBefore([1], 100)).toEqual([]);
  expect(rangesBefore([1, 2, 102], 100)).toEqual([{ from: 1, to: 101 }]);
});
