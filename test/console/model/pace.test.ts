import { describe, expect, it } from 'vitest';
import { edgeText, gapText, paceText, timesFrom, timesText, usedClasses } from '#console/model/pace.ts';

describe('paceText', () => {
  it.each([
    [0, 28, 'No deployment in 28 days.'],
    [3, 28, 'About one deployment every 9 days.'],
    [20, 28, 'About one deployment per day.'],
    [28, 28, 'About one deployment per day.'],
    [112, 28, 'About 4 deployments per day.'],
    [1, 1, 'About one deployment per day.'],
    [1, 365, 'About one deployment every 365 days.'],
  ])('%s in %s days', (total, days, text) => {
    expect(paceText(total, days, 'deployment')).toBe(text);
  });
});

describe('timesText', () => {
  it('names the median and the time of nine of ten', () => {
    expect(timesText({ known: 12, median: 3600, p90: 172_800 }, 'deployment')).toBe(
      'Half of 12 deployments within 1 h, 9 of 10 within 2 d.',
    );
    expect(timesText({ known: 9, median: 3600, p90: 172_800 }, 'trail')).toBe(
      'Half of 9 trails within 1 h, all of them within 2 d.',
    );
    expect(timesText({ known: 1, median: 40, p90: 40 }, 'trail')).toBe('One trail: 40 s.');
  });

  it('says nothing about nothing', () => {
    expect(timesText({ known: 0, median: null, p90: null }, 'trail')).toBeNull();
  });
});

it('edges of classes are short', () => {
  expect([300, 3600, 86_400, 604_800, null].map(edgeText)).toEqual([
    'up to 5 min',
    'up to 1 h',
    'up to 1 d',
    'up to 7 d',
    'longer',
  ]);
});

it('usedClasses keeps the empty classes between others', () => {
  const classes = [0, 2, 0, 1, 0].map((count) => ({ count }));
  expect(usedClasses(classes).map(({ count }) => count)).toEqual([2, 0, 1]);
  expect(usedClasses([{ count: 0 }])).toEqual([]);
});

describe('gapText', () => {
  const days = (...counts: number[]) => counts.map((count) => ({ count }));

  it('says how far apart the days are on which something rare happened', () => {
    expect(gapText(days(1, 0, 0, 2, 0, 0, 0, 1, 0, 1), 'deployment')).toBe(
      'After half of the days with a deployment, the next one came within 3 days.',
    );
  });

  it('says nothing of frequent events, and of fewer than four days with one', () => {
    expect(gapText(days(1, 1, 1, 1, 0), 'deployment')).toBe('');
    expect(gapText(days(1, 0, 0, 1, 0, 0, 1), 'deployment')).toBe('');
    expect(gapText([], 'deployment')).toBe('');
  });
});

it('timesFrom counts by class', () => {
  const { classes, ...rest } = timesFrom([7200, 60, 100]);
  expect(rest).toEqual({ known: 3, median: 100, p90: 7200 });
  expect(usedClasses(classes ?? []).map(({ count }) => count)).toEqual([2, 0, 0, 1]);
});
