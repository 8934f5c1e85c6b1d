import { expect, test } from 'vitest';
import { readSummary, verdictOf } from './summary.ts';

const OUTPUT = `✓ not-a-summary: 9 passed, 0 failed
=== SUMMARY ===
✓ ping: 1 passed, 0 failed
✗ tools-call-image: 0 passed, 1 failed
✗ tools-list: 0 passed, 1 failed

Total: 1 passed, 2 failed`;

test('the summary of the suite says what passed, what nobody asks of this door, and what failed', () => {
  const { lines, code } = verdictOf(readSummary(OUTPUT));
  expect(lines).toEqual([
    'passed      ping',
    'not asked   tools-call-image: calls a tool that only a server of test tools has',
    'FAILED      tools-list',
    '1 passed, 1 not asked, 1 failed',
  ]);
  expect(code).toBe(1);
});

test('a suite that ran nothing is no success', () => {
  expect(verdictOf(readSummary('It broke')).code).toBe(1);
  expect(verdictOf([{ name: 'ping', passed: true }]).code).toBe(0);
});
