import { describe, expect, it } from 'vitest';
import { flowListSentence } from '#console/flow/model/flow-list.ts';
import type { Flow } from '#console/flow/operations.ts';

describe('flows', () => {
  const flow = (name: string, word: string | null) => ({ name, latest_state: word }) as Flow;

  it('are named where something is wrong', () => {
    expect(flowListSentence([flow('web', 'COMPLIANT'), flow('pay', 'NON-COMPLIANT')], 2, false)).toBe(
      '2 flows. The latest trail of pay is not compliant.',
    );
  });

  it('flows without a trail are no problem', () => {
    expect(flowListSentence([flow('web', null)], 1, false)).toBe('1 flow. No flow has a latest trail with a problem.');
    expect(flowListSentence([], 0, true)).toBe('No flow fits the filter.');
  });
});
