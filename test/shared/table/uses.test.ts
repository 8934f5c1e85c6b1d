import { describe, expect, test } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { partitionPatterns } from '#infra/constructs/evidence-access.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { memberKey } from '#shared/organizations/records/keys.ts';
import {
  DIRECTORY_FAMILIES,
  type Family,
  familyOf,
  ORGANIZATION_FAMILIES,
  usesForCaller,
  usesTogether,
} from '#shared/table/uses.ts';

const FAMILIES: readonly Family[] = [...DIRECTORY_FAMILIES, ...ORGANIZATION_FAMILIES];
const ORG = '0192f0a1-b2c3-d4e5-f607-18293a4b';

/** As IAM compares: `?` is one character, `*` any number. */
const like = (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[.$@]/g, '\\$&').replaceAll('?', '.').replaceAll('*', '.*')}$`);

describe('record families', () => {
  test('are those of the table and no others', () => {
    const used = ACCESS_PATTERNS.map(({ example }) => familyOf(typeof example === 'string' ? example : example.pk));
    expect([...new Set(used)].toSorted()).toEqual([...FAMILIES].toSorted());
  });

  test.each(FAMILIES)('are told apart by the patterns of %s', (family) => {
    const keys = FAMILIES.flatMap((name) => {
      const start = name.startsWith('@') ? name : `${ORG}#${name}`;
      return [start, `${start}#some`, `${start}#some#${family}#more`].map((pk) => ({ name, pk }));
    });
    const patterns = partitionPatterns(family).map(like);
    const matched = keys.filter(({ pk }) => patterns.some((pattern) => pattern.test(pk)));
    expect(matched.map(({ name }) => name)).toEqual([family, family, family]);
  });

  test('are matched by the keys that the store makes', () => {
    const matches = (family: Family, pk: string) => partitionPatterns(family).some((pattern) => like(pattern).test(pk));
    expect(matches('MOMENT', momentKey(ORG, ORG, 'run', 1).pk)).toBe(true);
    expect(matches('MEMBER', memberKey(ORG, ORG).pk)).toBe(true);
    expect(matches('TRAIL', momentKey(ORG, ORG, 'TRAIL', 1).pk)).toBe(false);
  });
});

describe('uses', () => {
  test('together are each of them once, in order', () => {
    const together = usesTogether([
      { writes: ['TRAIL', 'FLOW'], bucket: ['bodies:read'] },
      { writes: ['FLOW'], removes: ['REPO'], bucket: ['bodies:read', 'bodies:write'] },
      {},
    ]);
    expect(together).toEqual({
      writes: ['FLOW', 'TRAIL'],
      batches: [],
      removes: ['REPO'],
      bucket: ['bodies:read', 'bodies:write'],
    });
  });

  test('of whoever writes for a caller have the first answers among them; those of readers do not', () => {
    expect(usesForCaller({ writes: ['FLOW'] })).toEqual({ writes: ['FLOW', 'IDEMPOTENCY'] });
    expect(usesForCaller({ bucket: ['bodies:read'] })).toEqual({ bucket: ['bodies:read'] });
    expect(usesForCaller()).toEqual({});
  });
});
