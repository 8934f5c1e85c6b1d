import { expect, test } from 'vitest';
import { readSummary, verdictOf } from './summary.ts';

const OUTPUT = `✓ not-a-summary: 9 passed, 0 failed
=== SUMMARY ===
✓ ping: 1 passed, 0 failed
✗ tools-call-image: 0 passed, 1 failed
✗ tools-call-with-progress: 0 passed, 1 failed
✗ tools-list: 0 passed, 1 failed

Total: 1 passed, 3 failed`;
const PING = { name: 'ping', passed: 1, failed: 0 };

test('the summary of the suite says what passed, what nobody asks of this door, and what failed', () => {
  const { lines, code } = verdictOf(readSummary(OUTPUT), 1, 'own tools');
  expect(lines).toEqual([
    'passed      ping',
    'not asked   tools-call-image: calls a tool that only a server of test tools has',
    'not asked   tools-call-with-progress: reads messages before the answer, and this door answers once',
    'FAILED      tools-list',
    '1 passed, 2 not asked, 1 failed',
  ]);
  expect(code).toBe(1);
});

test('a server of test tools is asked for its tools, but not for what the door does not do', () => {
  expect(verdictOf(readSummary(OUTPUT), 1, 'test tools').lines).toEqual([
    'passed      ping',
    'FAILED      tools-call-image',
    'not asked   tools-call-with-progress: reads messages before the answer, and this door answers once',
    'FAILED      tools-list',
    '1 passed, 1 not asked, 2 failed',
  ]);
});

test('a scenario that ended before its first check has not passed', () => {
  const nothing = { passed: 0, failed: 0 };
  const results = [PING, { name: 'server-sse-polling', ...nothing }, { name: 'tools-list', ...nothing }];
  expect(verdictOf(results, 0, 'test tools').lines).toEqual([
    'passed      ping',
    'not asked   server-sse-polling: reads streams, and this door opens none',
    'FAILED      tools-list',
    '1 passed, 1 not asked, 1 failed',
  ]);
});

test('a suite that ran nothing is no success', () => {
  expect(verdictOf(readSummary('It broke'), 1, 'own tools').code).toBe(1);
  expect(verdictOf(readSummary('✓ ping: 1 passed, 0 failed'), 0, 'own tools').lines).toEqual([
    '0 passed, 0 not asked, 0 failed',
  ]);
  expect(verdictOf([PING], 0, 'own tools').code).toBe(0);
});

test.each([
  [1, 'The suite ended with 1, and its summary means 0'],
  [null, 'The suite ended with a signal, and its summary means 0'],
])('a suite that ended with %s after a summary without failures is no success', (exit, sentence) => {
  const { lines, code } = verdictOf([PING], exit, 'test tools');
  expect([lines.at(-1), code]).toEqual([sentence, 1]);
});

test('a failure that nobody asks of this door is no success of a suite that says that nothing failed', () => {
  const results = [PING, { name: 'logging-set-level', passed: 0, failed: 1 }];
  expect(verdictOf(results, 1, 'test tools').code).toBe(0);
  expect(verdictOf(results, 0, 'test tools').code).toBe(1);
});
