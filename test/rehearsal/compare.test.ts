import { describe, expect, test } from 'vitest';
import { difference, firstDifference, gone, shortened, unexpected } from './compare.ts';
import type { Deployed } from './deployment.ts';

const before = new Map([
  ['Log a', { days: 90 }],
  ['Log b', { days: 90 }],
  ['Rule x', { rate: [1] }],
  ['Topic old', {}],
]);
const after = new Map([
  ['Topic new', {}],
  ['Rule x', { rate: [1] }],
  ['Log b', { days: 365 }],
  ['Log a', { days: 365 }],
]);

test('the difference of two inventories names what was added, removed and changed', () => {
  expect(difference(before, after)).toEqual({
    added: ['Topic new'],
    removed: ['Topic old'],
    changed: ['Log a', 'Log b'],
  });
  expect(difference(after, new Map(after))).toEqual({ added: [], removed: [], changed: [] });
});

describe('differences that are not expected', () => {
  test('are named', () => {
    expect(unexpected(difference(before, after), { changed: /^Log a/ })).toEqual([
      'Topic new is added',
      'Topic old is removed',
      'Log b is changed',
    ]);
  });

  test('are none if all fit', () => {
    const topic = /^Topic /;
    expect(unexpected(difference(before, after), { added: topic, removed: topic, changed: /^Log / })).toEqual([]);
  });

  test('are also those that are expected and not there', () => {
    expect(unexpected({ added: [], removed: [], changed: [] }, { changed: /^Log / })).toEqual([
      'nothing like /^Log / is changed',
    ]);
  });
});

test('a changed thing is described by its first fact that differs', () => {
  expect(firstDifference({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } })).toBe('b: {"c":2} → {"c":3}');
  expect(firstDifference({ a: 1 }, { a: 1 })).toBe('nothing');
});

test('a long list of problems is cut, with the number of the others', () => {
  const problems = Array.from({ length: 12 }, (_, i) => `problem ${i}`);
  expect(shortened(problems)).toHaveLength(11);
  expect(shortened(problems).at(-1)).toBe('… and 2 more');
  expect(shortened(problems.slice(0, 10))).toEqual(problems.slice(0, 10));
});

test('a resource is gone if its logical id has another physical id, or is not there', () => {
  const resource = (id: string, physical: string): Deployed => ({ part: 'service', id, type: 'T', physical });
  const kept = resource('Kept', 'k');
  const replaced = resource('Replaced', 'one');
  const removed = resource('Removed', 'r');
  expect(gone([kept, replaced, removed], [kept, resource('Replaced', 'two'), resource('New', 'n')])).toEqual([
    replaced,
    removed,
  ]);
});
