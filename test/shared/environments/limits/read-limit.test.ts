import { describe, expect, it } from 'vitest';
import { ServiceError } from '#shared/base/errors.ts';
import { micros } from '#shared/base/time.ts';
import { evidenceReads, MOST_READS, readLimit } from '#shared/environments/limits/read-limit.ts';
import type { FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { testId, testName } from '#test/support/ids.ts';

const presence = (flow: string, trail: string, more: Partial<FlowPresence> = {}): FlowPresence => ({
  flow: testId(flow),
  trail: testName(trail),
  artifact: 'report',
  name: 'app',
  at: micros(1),
  first: micros(1),
  ...more,
});

describe('the reads of an evaluation', () => {
  it('are none for artifacts that no flow has reported', () => {
    expect(evidenceReads([[], []], 3)).toBe(0);
  });

  it('are one per reported artifact and one per trail, and as many again per control', () => {
    const flows = [[presence('f', 'one')], [presence('f', 'one')], [presence('f', 'two'), presence('g', 'two')], []];
    expect(evidenceReads(flows, 0)).toBe(3 + 3);
    expect(evidenceReads(flows, 2)).toBe(3 * (3 + 3));
  });

  it('are one more per artifact that a flow reported repeatedly, if a policy names a control', () => {
    const flows = [[presence('f', 'one', { at: micros(2) })]];
    expect(evidenceReads(flows, 0)).toBe(2);
    expect(evidenceReads(flows, 1)).toBe(4 + 1);
  });

  it('are refused as soon as their sum exceeds the limit', () => {
    const countReads = readLimit('artifacts');
    countReads(MOST_READS - 1);
    countReads(1);
    const refused = () => countReads(1);
    expect(refused).toThrow(ServiceError);
    expect(refused).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        errors: { artifacts: expect.stringContaining(`At most ${MOST_READS} reads`) },
      }),
    );
  });
});
