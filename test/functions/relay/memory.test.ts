import { describe, expect, test } from 'vitest';
import { RelayMemory, WRITTEN_EVERY } from '#functions/relay/memory.ts';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { Remembered } from '#shared/environments/environment-memory.ts';
import { testId } from '#test/support/ids.ts';

const NOW = 1_800_000_000_000_000;
const FLOW = { org: testId<OrganizationId>('org'), kind: 'flow', id: 'flow' } as const;

describe('the memory of the relay', () => {
  test('lets a series be looked after once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isDue(testId('org'), 's', NOW)).toBe(true);
    memory.settled(testId('org'), 's', NOW);
    expect(memory.isDue(testId('org'), 's', NOW + WRITTEN_EVERY - 1)).toBe(false);
    expect(memory.isDue(testId('org'), 'other', NOW)).toBe(true);
    expect(memory.isDue(testId('org'), 's', NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('takes a changed state for news at once, the same state once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isNews(FLOW, { at: 1, state: 'COMPLIANT' }, NOW)).toBe(true);
    memory.written(FLOW, { at: 1, state: 'COMPLIANT' }, NOW);
    expect(memory.isNews(FLOW, { at: 2, state: 'COMPLIANT' }, NOW + 1)).toBe(false);
    expect(memory.isNews(FLOW, { at: 2, state: 'INCOMPLETE' }, NOW + 1)).toBe(true);
    expect(memory.isNews(FLOW, { at: 2, state: 'COMPLIANT' }, NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('knows that a head says nothing new only where it saw the one before', () => {
    const memory = new RelayMemory();
    const head = (rev: number, text = 'web') => ({ flow: testId<FlowId>('flow'), rev, text });
    expect(memory.mayDiffer(testId('org'), head(1))).toBe(true);
    memory.rememberHead(testId('org'), head(1));
    expect([memory.mayDiffer(testId('org'), head(2)), memory.mayDiffer(testId('org'), head(3))]).toEqual([
      false,
      false,
    ]);
    expect(memory.mayDiffer(testId('other'), head(4))).toBe(true);
    // Somebody else saw what came in between: it may have been another name.
    expect(memory.mayDiffer(testId('org'), head(5))).toBe(true);
    expect(memory.mayDiffer(testId('org'), head(4, 'net'))).toBe(true);
  });

  test('of what is there for good forgets all at once rather than grow', () => {
    const remembered = new Remembered();
    for (let i = 0; i <= 50_000; i += 1) remembered.add(String(i));
    expect([remembered.size, remembered.has('50000'), remembered.has('0')]).toEqual([1, true, false]);
  });

  test('keeps the latest news until the minute is over', () => {
    const memory = new RelayMemory();
    memory.written(FLOW, { at: 1, state: 'COMPLIANT' }, NOW);
    memory.wait(FLOW, { at: 3, state: 'COMPLIANT' });
    memory.wait(FLOW, { at: 2, state: 'COMPLIANT' });
    expect(memory.waiting(NOW + WRITTEN_EVERY - 1)).toEqual([]);
    const waiting = [{ active: FLOW, activity: { at: 3, state: 'COMPLIANT' } }];
    expect(memory.waiting(NOW + WRITTEN_EVERY)).toEqual(waiting);
    memory.written(FLOW, { at: 2, state: 'INCOMPLETE' }, NOW + 1);
    expect(memory.waiting(NOW + 1 + WRITTEN_EVERY)).toEqual(waiting);
    memory.written(FLOW, { at: 3, state: 'COMPLIANT' }, NOW + 2);
    expect(memory.waiting(NOW + 3 * WRITTEN_EVERY)).toEqual([]);
  });
});
