import { describe, expect, test } from 'vitest';
import { RelayMemory, WRITTEN_EVERY } from '#functions/relay/memory.ts';

const NOW = 1_800_000_000_000_000;

describe('the memory of the relay', () => {
  test('lets a series be looked after once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isDue('org', 's', NOW)).toBe(true);
    memory.settled('org', 's', NOW);
    expect(memory.isDue('org', 's', NOW + WRITTEN_EVERY - 1)).toBe(false);
    expect(memory.isDue('org', 'other', NOW)).toBe(true);
    expect(memory.isDue('org', 's', NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('takes a changed state for news at once, the same state once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isNews('org', 'flow', { at: 1, state: 'COMPLIANT' }, NOW)).toBe(true);
    memory.written('org', 'flow', { at: 1, state: 'COMPLIANT' }, NOW);
    expect(memory.isNews('org', 'flow', { at: 2, state: 'COMPLIANT' }, NOW + 1)).toBe(false);
    expect(memory.isNews('org', 'flow', { at: 2, state: 'INCOMPLETE' }, NOW + 1)).toBe(true);
    expect(memory.isNews('org', 'flow', { at: 2, state: 'COMPLIANT' }, NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('keeps the latest news until the minute is over', () => {
    const memory = new RelayMemory();
    memory.written('org', 'flow', { at: 1, state: 'COMPLIANT' }, NOW);
    memory.wait('org', 'flow', { at: 3, state: 'COMPLIANT' });
    memory.wait('org', 'flow', { at: 2, state: 'COMPLIANT' });
    expect(memory.waiting(NOW + WRITTEN_EVERY - 1)).toEqual([]);
    const waiting = [{ org: 'org', flow: 'flow', activity: { at: 3, state: 'COMPLIANT' } }];
    expect(memory.waiting(NOW + WRITTEN_EVERY)).toEqual(waiting);
    memory.written('org', 'flow', { at: 2, state: 'INCOMPLETE' }, NOW + 1);
    expect(memory.waiting(NOW + 1 + WRITTEN_EVERY)).toEqual(waiting);
    memory.written('org', 'flow', { at: 3, state: 'COMPLIANT' }, NOW + 2);
    expect(memory.waiting(NOW + 3 * WRITTEN_EVERY)).toEqual([]);
  });
});
