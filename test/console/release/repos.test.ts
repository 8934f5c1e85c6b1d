import { describe, expect, it } from 'vitest';
import { deploymentsSentence, repoListSentence, repoSentence } from '#console/release/model/repos.ts';
import type { Deployments } from '#console/release/operations.ts';

describe('repositories', () => {
  it('are counted', () => {
    expect(repoListSentence(1, false)).toBe('1 repository was named by reports.');
    expect(repoListSentence(4, true)).toBe('4 repositories fit the filter.');
    expect(repoSentence({ latest_activity: null }, 0)).toContain('No report has named');
  });

  it('say how often their commits run', () => {
    const answer = (total: number) =>
      ({ environment: 'prod', total_count: total, days: Array.from({ length: 28 }) }) as unknown as Deployments;
    expect(deploymentsSentence(answer(5))).toBe('5 deployments to prod in 28 days. About one deployment every 6 days.');
    expect(deploymentsSentence(answer(0))).toBe('No deployment to prod in 28 days.');
  });
});
