import { describe, expect, test } from 'vitest';
import { EVALUATOR_USES } from '#functions/evaluator/uses.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { groups } from '#functions/groups.ts';
import { INTEGRATOR_USES } from '#functions/integrator/uses.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { partitionPatterns } from '#infra/constructs/evidence-access.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { memberKey } from '#shared/organizations/records/keys.ts';
import { type Family, familyOf, usesForCaller, usesTogether } from '#shared/table/uses.ts';
import { testId, testName } from '#test/support/ids.ts';

const WORKERS = [EVALUATOR_USES, EXPANDER_USES, INTEGRATOR_USES, NOTIFIER_USES, OPERATOR_USES, RELAY_USES];
const partitionOf = (example: { pk: string } | string) => (typeof example === 'string' ? example : example.pk);
const FAMILIES: readonly Family[] = [
  ...new Set(ACCESS_PATTERNS.map(({ example }) => familyOf(partitionOf(example)))),
].toSorted();
const ORG = testId<OrganizationId>('0192f0a1-b2c3-d4e5-f607-18293a4b');

/** As IAM compares: `?` is one character, `*` any number. */
const like = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[.$@]/g, '\\$&').replaceAll('?', '.').replaceAll('*', '.*')}$`);

describe('record families', () => {
  test('that endpoints and workers declare are families of the table', () => {
    const declared = [...groups.flatMap(({ endpoints }) => endpoints.map(({ uses }) => uses ?? {})), ...WORKERS];
    const { writes, batches, removes } = usesTogether(declared);
    expect(writes.length).toBeGreaterThan(20);
    expect([...writes, ...batches, ...removes].filter((family) => !FAMILIES.includes(family))).toEqual([]);
  });

  test.each(FAMILIES)('are distinguished by the patterns of %s', (family) => {
    const keys = FAMILIES.flatMap((name) => {
      const start = name.startsWith('@') ? name : `${ORG}#${name}`;
      return [start, `${start}#some`, `${start}#some#${family}#more`].map((pk) => ({ name, pk }));
    });
    const patterns = partitionPatterns(family).map(like);
    const matched = keys.filter(({ pk }) => patterns.some((pattern) => pattern.test(pk)));
    expect(matched.map(({ name }) => name)).toEqual([family, family, family]);
  });

  test('are matched by real keys', () => {
    const matches = (family: Family, pk: string) => partitionPatterns(family).some((pattern) => like(pattern).test(pk));
    expect(matches('MOMENT', momentKey(ORG, testId(ORG), testName('run'), 1).pk)).toBe(true);
    expect(matches('MEMBER', memberKey(ORG, testId(ORG)).pk)).toBe(true);
    expect(matches('TRAIL', momentKey(ORG, testId(ORG), testName('TRAIL'), 1).pk)).toBe(false);
  });
});

describe('uses', () => {
  test('together contain each use once, in order', () => {
    const together = usesTogether([
      { reads: ['MEMBER'], writes: ['TRAIL', 'FLOW'], bucket: ['bodies:read'] },
      { writes: ['FLOW'], removes: ['REPO'], bucket: ['bodies:read', 'bodies:write'], keys: ['log:sign', 'log:read'] },
      {},
    ]);
    expect(together).toEqual({
      reads: ['MEMBER'],
      selects: [],
      writes: ['FLOW', 'TRAIL'],
      batches: [],
      removes: ['REPO'],
      checks: [],
      bucket: ['bodies:read', 'bodies:write'],
      keys: ['log:read', 'log:sign'],
    });
  });

  test('uses of endpoints that write include stored answers; those of endpoints that only read do not', () => {
    expect(usesForCaller({ writes: ['FLOW'] })).toEqual({ writes: ['FLOW', 'IDEMPOTENCY'] });
    expect(usesForCaller({ bucket: ['bodies:read'] })).toEqual({ bucket: ['bodies:read'] });
    expect(usesForCaller()).toEqual({});
  });
});
