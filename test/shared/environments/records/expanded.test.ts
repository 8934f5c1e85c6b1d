import { describe, expect, test } from 'vitest';
import { fromMillis, micros } from '#shared/base/time.ts';
import { countDeployment, dayOf } from '#shared/environments/rules/effects.ts';
import { testId } from '#test/support/ids.ts';

const NOTHING = { counts: {}, all: 0 };

describe('a day of deployments', () => {
  test('counts an artifact once in total, and once for each flow that has it', () => {
    const one = countDeployment(NOTHING, [testId('web'), testId('api')]);
    expect(one).toEqual({ counts: { web: 1, api: 1 }, all: 1 });
    expect(countDeployment(one, [testId('web'), testId('web')])).toEqual({ counts: { web: 2, api: 1 }, all: 2 });
    expect(NOTHING).toEqual({ counts: {}, all: 0 });
  });

  test('counts artifacts without provenance under their own key', () => {
    expect(countDeployment(countDeployment(NOTHING, []), [testId('web')])).toEqual({
      counts: { '-': 1, web: 1 },
      all: 2,
    });
  });

  test('is a day in UTC', () => {
    expect(dayOf(fromMillis(Date.UTC(2026, 10, 21, 0, 0, 0)))).toBe('20261121');
    expect(dayOf(micros(Date.UTC(2026, 10, 21, 0, 0, 0) * 1000 - 1))).toBe('20261120');
    expect(dayOf(fromMillis(Date.UTC(2026, 0, 1)))).toBe('20260101');
  });
});
