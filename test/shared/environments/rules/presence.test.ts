import { describe, expect, test } from 'vitest';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { runtimeHistory } from '#shared/environments/rules/presence.ts';
import { testId } from '#test/support/ids.ts';

const nameOf = (environment: string) => ({ p: 'prod', s: 'stage' })[environment] ?? '?';

describe('the history of an artifact in environments', () => {
  test('shows starts and stops with their fixed texts, oldest first', () => {
    const runs = [
      { environment: testId<EnvironmentId>('p'), index: 7, at: micros(40), running: true },
      {
        environment: testId<EnvironmentId>('s'),
        index: 3,
        at: micros(30),
        running: false,
        startIndex: 2,
        startAt: micros(10),
      },
    ];
    expect(runtimeHistory(runs, nameOf)).toEqual([
      { event: 'Started running in stage#2 environment', at: 10 },
      { event: 'No longer running in stage#3 environment', at: 30 },
      { event: 'Started running in prod#7 environment', at: 40 },
    ]);
  });

  test('shows only the stop if the start is not recorded', () => {
    expect(runtimeHistory([{ environment: testId('p'), index: 2, at: micros(5), running: false }], nameOf)).toEqual([
      { event: 'No longer running in prod#2 environment', at: 5 },
    ]);
  });
});
