import { describe, expect, it } from 'vitest';
import { Removals } from '#verify/records/removals.ts';

const HASH = 'ab'.repeat(32);

describe('a text that is gone', () => {
  it('was erased if an entry of the log names it', () => {
    const removals = new Removals();
    removals.add({ [HASH]: ['details', 'file:0'] }, true);
    expect(removals.require('line 1', HASH, 'details')).toBe('erased');
    expect(removals.require('line 1', HASH, 'file:0')).toBe('erased');
  });

  it('is not proved to be erased if the erasure came after the checkpoint', () => {
    const removals = new Removals();
    removals.add({ [HASH]: ['details'] }, false);
    expect(removals.require('line 1', HASH, 'details')).toBe('later');
  });

  it.each([
    ['another commitment', HASH, 'facts'],
    ['another entry', 'cd'.repeat(32), 'details'],
  ])('is a fault if the erasure names %s', (_, hash, name) => {
    const removals = new Removals();
    removals.add({ [HASH]: ['details'] }, true);
    expect(() => removals.require('line 1', hash, name)).toThrow(
      `the text under '${name}' is gone, and no entry of the audit log names its erasure`,
    );
  });
});
