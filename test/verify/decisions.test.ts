import { expect, test } from 'vitest';
import { COVERED, type CoveredKind, isCovered } from '#shared/base/proofs/covered-lines.ts';
import { ADMINISTRATION, auditLog } from '#shared/exports/families/administration.ts';
import { ENVIRONMENTS, EXPANSIONS } from '#shared/exports/families/environments.ts';
import { EVIDENCE } from '#shared/exports/families/evidence.ts';
import { DECISIONS } from '#verify/records/decisions.ts';

test('every family of an export has a decision about its lines', () => {
  const families = [...EVIDENCE, EXPANSIONS, ...ENVIRONMENTS, ...ADMINISTRATION, auditLog].map(({ name }) => name);
  const decided = new Set(Object.keys(DECISIONS).map((name) => name.split('/')[0]));
  expect(families.filter((family) => !decided.has(family))).toEqual([]);
});

test('what the audit log covers is decided so, and nothing else', () => {
  const byCover = Object.entries(DECISIONS).flatMap(([name, one]) => ('by' in one && one.by === 'cover' ? [name] : []));
  const inPart = (name: string) => {
    const { only, beginsUnsaid }: CoveredKind = isCovered(name) ? COVERED[name] : { key: [] };
    return only !== undefined || beginsUnsaid === true;
  };
  const covered = Object.keys(COVERED);
  expect(byCover.toSorted()).toEqual(covered.filter((name) => !inPart(name)).toSorted());
  for (const name of covered.filter(inPart)) expect(DECISIONS[name], name).toHaveProperty('note');
});
