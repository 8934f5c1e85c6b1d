import { describe, expect, it } from 'vitest';
import { deploymentsSentence, repoListSentence, repoSentence } from '#console/release/model/repos.ts';
import type { Deployments } from '#console/release/operations.ts';

describe('repositories', () => {
  it('are counted', () => {
    expect(repoListSentence(1, false)).toBe('1 repository was named by reports.');
    expect(repoListSentence(4, true)).toBe('4 repositories fit the filter.');
    expect(repoSentence({ latest_activity: null }, 0)).toContain('No report has named');
  });

  it('say how fast their commits run', () => {
    const answer = (known: number) =>
      ({
        environment: 'prod',
        total_count: known,
        days: Array.from({ length: 28 }),
        lead_times: { known, median: 3600, p90: 7200, p99: 7200 },
      }) as unknown as Deployments;
    expect(deploymentsSentence(answer(5))).toBe(
      '5 deployments to prod in 28 days. About one deployment every 6 days. Half of them ran within 1 h of their commit.',
    );
    expect(deploymentsSentence(answer(20))).toContain(', nine of ten within 2 h.');
  });
});
