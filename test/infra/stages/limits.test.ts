import { describe, expect, it } from 'vitest';
import { limitsOf } from '#infra/stages/limits.ts';
import { readStages } from '#infra/stages/stages.ts';

const limitsWith = (settings: object) => {
  const [stage] = readStages({ eu: settings }, 'cdk.json');
  if (!stage) throw new Error('There is no stage');
  return limitsOf(stage);
};

describe('the limits of a stage', () => {
  it('are the usual ones', () => {
    expect(limitsWith({})).toEqual({
      stage: { rate: 1000, burst: 2000 },
      organization: { requests: { rate: 400, burst: 2000 }, writes: { rate: 200, burst: 1000 } },
      key: { requests: { rate: 200, burst: 1000 }, writes: { rate: 100, burst: 500 } },
    });
  });

  it('are the settings where there are some', () => {
    expect(limitsWith({ organizationWrites: '300/900', keyRequests: '1000/2000' })).toMatchObject({
      organization: { writes: { rate: 300, burst: 900 } },
      key: { requests: { rate: 1000, burst: 2000 } },
    });
  });

  it('are never above that of the stage', () => {
    const least = { rate: 50, burst: 80 };
    expect(limitsWith({ requestsPerSecond: 50, requestBurst: 80 })).toEqual({
      stage: least,
      organization: { requests: least, writes: least },
      key: { requests: least, writes: least },
    });
  });
});
