import { describe, expect, it } from 'vitest';
import type { Seen } from '../noise/watch.ts';
import { spreadOf, spreadText } from '../spread.ts';
import { type MeasuredPart, page } from './page.ts';

const seen = (share: number): Seen => ({ work: { share, worst: share, busiest: [] } });

const measured = (name: string, missed: string[]): MeasuredPart => ({
  part: {
    name,
    measure: async () => missed,
    section: () => `## The part ${name}\n\nFigures of ${name}.\n`,
    missed: () => missed,
  },
  stored: { part: name, day: '2026-11-22', seconds: 60, before: seen(0), during: seen(0.01), result: missed },
});

describe('page', () => {
  it('says first how many goals are missed in which part, and lists them at the end', () => {
    const text = page([measured('one', []), measured('two', ['too slow', 'too dear'])]);
    expect(text.split('\n\n')[1]).toBe(
      '**What falls short:** 2 goals are missed ([list](#missed-goals)): 2 in [The part two](#the-part-two).',
    );
    expect(text).toMatch(/## Missed goals\n\n- The part two: too slow\n- The part two: too dear\n$/);
  });

  it('says that no goal is missed', () => {
    const text = page([measured('one', [])]);
    expect(text).toContain('**What falls short:** every part reaches its goals.');
    expect(text).toMatch(/## Missed goals\n\nNone\.\n$/);
  });

  it('has the sections in the order of the parts, and the other work during each', () => {
    const text = page([measured('one', []), measured('two', [])]);
    expect(text.indexOf('Figures of one.')).toBeLessThan(text.indexOf('Figures of two.'));
    expect(text).toContain(
      '| `two` | 2026-11-22 | 60 | 0.0 % of the processors, 0.0 % at the worst | 1.0 % of the processors, 1.0 % at the worst |',
    );
  });
});

describe('spreadOf', () => {
  it('gives the median and the quartiles of the rounds', () => {
    expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ median: 3, low: 2, high: 4 });
    expect(spreadText(spreadOf([0.5, 0.1, 0.3, 0.2, 0.4]), 2)).toBe('0.30 (0.20–0.40)');
  });
});
