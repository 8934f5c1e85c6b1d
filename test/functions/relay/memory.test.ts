import { describe, expect, test } from 'vitest';
import { RelayMemory, WRITTEN_EVERY } from '#functions/relay/memory.ts';
import { Remembered } from '#shared/environments/environment-memory.ts';
import { testId } from '#test/support/ids.ts';

const NOW = 1_800_000_000_000_000;

describe('the memory of the relay', () => {
  test('lets a series be settled once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isSettlingDue(testId('org'), 's', NOW)).toBe(true);
    memory.rememberSettled(testId('org'), 's', NOW);
    expect(memory.isSettlingDue(testId('org'), 's', NOW + WRITTEN_EVERY - 1)).toBe(false);
    expect(memory.isSettlingDue(testId('org'), 'other', NOW)).toBe(true);
    expect(memory.isSettlingDue(testId('org'), 's', NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('lets an organization be listed once a minute', () => {
    const memory = new RelayMemory();
    expect(memory.isListingDue(testId('org'), NOW)).toBe(true);
    memory.rememberListed(testId('org'), NOW);
    expect(memory.isListingDue(testId('org'), NOW + WRITTEN_EVERY - 1)).toBe(false);
    expect(memory.isListingDue(testId('other'), NOW)).toBe(true);
    expect(memory.isListingDue(testId('org'), NOW + WRITTEN_EVERY)).toBe(true);
  });

  test('is emptied at its limit instead of growing', () => {
    const remembered = new Remembered();
    for (let i = 0; i <= 50_000; i += 1) remembered.add(String(i));
    expect([remembered.size, remembered.has('50000'), remembered.has('0')]).toEqual([1, true, false]);
  });
});
