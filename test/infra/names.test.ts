import { describe, expect, test } from 'vitest';
import { functionNames } from '#infra/bundles/bundle.ts';
import { functionName, RULE_NAMES, ruleName, trailName } from '#infra/names.ts';

/** Most characters that functions, roles and rules may have. Trails may have twice as many. */
const MOST = 64;
const LONGEST_STAGE = 'a'.repeat(20);

describe('the names of resources', () => {
  test('are short enough, also for the longest name of a stage', () => {
    const names = [
      ...functionNames().map((name) => functionName(LONGEST_STAGE, name)),
      ...RULE_NAMES.map((name) => ruleName(LONGEST_STAGE, name)),
      trailName(LONGEST_STAGE),
    ];
    expect(names.filter(({ length }) => length > MOST)).toEqual([]);
  });

  test.each([
    ['functions', functionNames()],
    ['schedules', RULE_NAMES],
  ])(
    'never meet those of a stage with a longer name: none ends with another one (%s)',
    (_, names: readonly string[]) => {
      expect(names.filter((name) => names.some((other) => name.endsWith(`-${other}`)))).toEqual([]);
    },
  );
});
