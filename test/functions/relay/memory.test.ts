import { describe, expect, test } from 'vitest';
import { RelayMemory, WRITTEN_EVERY } from '#functions/relay/memory.ts';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { Remembered } from '#shared/environments/environment-memory.ts';
import { testId } from '#test/support/ids.ts';

const NOW = 1_800_000_000_000_000;
const FLOW = { org: testId<OrganizationId>('org'), kind: 'flow', id: 'flow' } as const;

describe('the memory of the relay', () => {
  test('lets a series be settled once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isSettlingDue(testId('org'), 's', NOW)).toBe(true);
    memory.rememberSettled(testId('org'), 's', NOW);
    expect(memory.isSettlingDue(testId('org'), 's', NOW + WRITTEN_EVERY - 1)).toBe(false);
    expect(memory.isSettlingDue(testId('org'), 'other', NOW)).toBe(true);
    expect(memory.isSettlingDue(testId('org'), 's', NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('lets a changed state be written at once, the same state once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isWriteDue(FLOW, { at: 1, state: 'COMPLIANT' }, NOW)).toBe(true);
    memory.rememberWritten(FLOW, { at: 1, state: 'COMPLIANT' }, NOW);
    expect(memory.isWriteDue(FLOW, { at: 2, state: 'COMPLIANT' }, NOW + 1)).toBe(false);
    expect(memory.isWriteDue(FLOW, { at: 2, state: 'INCOMPLETE' }, NOW + 1)).toBe(true);
    expect(memory.isWriteDue(FLOW, { at: 2, state: 'COMPLIANT' }, NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('skips a head only if it saw the head before', () => {
    const memory = new RelayMemory();
    const head = (rev: number, text = 'web') => ({ flow: testId<FlowId>('flow'), rev, text });
    expect(memory.mayDiffer(testId('org'), head(1))).toBe(true);
    memory.rememberHead(testId('org'), head(1));
    expect([memory.mayDiffer(testId('org'), head(2)), memory.mayDiffer(testId('org'), head(3))]).toEqual([
      false,
      false,
    ]);
    expect(memory.mayDiffer(testId('other'), head(4))).toBe(true);
    // Another container saw the head in between, which may have had another name.
    expect(memory.mayDiffer(testId('org'), head(5))).toBe(true);
    expect(memory.mayDiffer(testId('org'), head(4, 'net'))).toBe(true);
  });

  test('is emptied at its limit instead of growing', () => {
    const remembered = new Remembered();
    for (let i = 0; i <= 50_000; i += 1) remembered.add(String(i));
    expect([remembered.size, remembered.has('50000'), remembered.has('0')]).toEqual([1, true, false]);
  });

  test('keeps the latest activity until the minute is over', () => {
    const memory = new RelayMemory();
    memory.rememberWritten(FLOW, { at: 1, state: 'COMPLIANT' }, NOW);
    memory.postpone(FLOW, { at: 3, state: 'COMPLIANT' });
    memory.postpone(FLOW, { at: 2, state: 'COMPLIANT' });
    expect(memory.dueActivities(NOW + WRITTEN_EVERY - 1)).toEqual([]);
    const waiting = [{ active: FLOW, activity: { at: 3, state: 'COMPLIANT' } }];
    expect(memory.dueActivities(NOW + WRITTEN_EVERY)).toEqual(waiting);
    memory.rememberWritten(FLOW, { at: 2, state: 'INCOMPLETE' }, NOW + 1);
    expect(memory.dueActivities(NOW + 1 + WRITTEN_EVERY)).toEqual(waiting);
    memory.rememberWritten(FLOW, { at: 3, state: 'COMPLIANT' }, NOW + 2);
    expect(memory.dueActivities(NOW + 3 * WRITTEN_EVERY)).toEqual([]);
  });
});
