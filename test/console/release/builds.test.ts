import { describe, expect, it } from 'vitest';
import { buildListSentence, buildsPerDay } from '#console/release/model/builds.ts';

describe('builds', () => {
  it.each([
    [{ total_count: 14, has_builds_ever: true }, {}, '14 builds in the last 28 days.'],
    [
      { total_count: 0, has_builds_ever: true },
      { repo: 'a/b', from: '2026-07-01' },
      'No build of a/b since 2026-07-01 (UTC).',
    ],
    [{ total_count: 0, has_builds_ever: false }, {}, 'Nobody has reported a build yet.'],
  ])('%o %o', (answer, filters, sentence) => {
    expect(buildListSentence(answer, filters)).toBe(sentence);
  });

  it('are counted per day in UTC, with the days without any', () => {
    const at = Date.parse('2026-11-22T00:10:00Z') / 1000;
    expect(buildsPerDay([{ created_at: at }, { created_at: at - 1200 }], 3, at)).toEqual([
      { date: '2026-11-20', count: 0 },
      { date: '2026-11-21', count: 1 },
      { date: '2026-11-22', count: 1 },
    ]);
  });
});
