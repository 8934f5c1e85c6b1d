import { describe, expect, it } from 'vitest';
import { nameWithoutTag } from '#shared/base/reasons/artifact-name.ts';
import { type ComparedRow, changesBetween } from '#shared/environments/rules/changes/pair-rows.ts';
import type { RowFlow } from '#shared/environments/rules/content.ts';
import { testId, testName } from '#test/support/ids.ts';
import { fingerprint } from '../rows.ts';

const aFlow = (flow: string, slot: string): RowFlow => ({
  flow: testId(flow),
  name: testName(flow),
  trail: testId('t'),
  trailName: testName('t'),
  slot,
  report: 'r',
  commit: 'c',
  status: 'COMPLIANT',
  compliant: true,
  reasons: [],
});
const aRow = (name: string, digit: number, more: Partial<ComparedRow> = {}): ComparedRow => ({
  name,
  fingerprint: fingerprint(digit),
  started: [100],
  compliant: true,
  flows: [],
  ...more,
});
const kindsOf = (before: ComparedRow[], after: ComparedRow[]) =>
  changesBetween(before, after).map((one) => [one.kind, one.before?.name ?? null, one.after?.name ?? null]);

describe('nameWithoutTag', () => {
  it.each([
    ['registry:5000/shop/worker:1.2', 'registry:5000/shop/worker'],
    ['worker@sha256:abc', 'worker'],
    ['registry:5000/worker', 'registry:5000/worker'],
    ['worker', 'worker'],
  ])('turns %s into %s', (name, plain) => {
    expect(nameWithoutTag(name)).toBe(plain);
  });
});

describe('changesBetween', () => {
  it('pairs artifacts of the same name without the tag', () => {
    expect(kindsOf([aRow('worker:9', 1)], [aRow('worker:10', 2)])).toEqual([['replaced', 'worker:9', 'worker:10']]);
  });

  it('pairs artifacts of other names that have the same name in the template of the same flow', () => {
    const flows = [aFlow('web', 'worker')];
    expect(kindsOf([aRow('old', 1, { flows })], [aRow('new', 2, { flows })])).toEqual([['replaced', 'old', 'new']]);
    expect(kindsOf([aRow('old', 1, { flows: [aFlow('api', 'worker')] })], [aRow('new', 2, { flows })])).toEqual([
      ['started', null, 'new'],
      ['stopped', 'old', null],
    ]);
  });

  it('pairs those that started first with each other, and leaves the rest alone', () => {
    const before = [aRow('app:1', 1, { started: [2] }), aRow('app:2', 2, { started: [1] })];
    const after = [aRow('app:3', 3, { started: [9] })];
    expect(kindsOf(before, after)).toEqual([
      ['replaced', 'app:2', 'app:3'],
      ['stopped', 'app:1', null],
    ]);
  });

  it('does not pair artifacts of two members of a logical environment', () => {
    const [one, other] = [testId<never>('e1'), testId<never>('e2')];
    const found = kindsOf([aRow('app:1', 1, { environment: one })], [aRow('app:2', 2, { environment: other })]);
    expect(found.map(([kind]) => kind)).toEqual(['started', 'stopped']);
  });

  it('tells another verdict from other instances, and nothing from what stayed the same', () => {
    const before = [aRow('a', 1, { compliant: null }), aRow('b', 2), aRow('c', 3)];
    const after = [aRow('a', 1), aRow('b', 2, { started: [100, 101] }), aRow('c', 3, { started: [200] })];
    expect(kindsOf(before, after)).toEqual([
      ['judged', 'a', 'a'],
      ['scaled', 'b', 'b'],
    ]);
  });

  it('shows what is not compliant first', () => {
    const after = [aRow('a', 1), aRow('b', 2, { compliant: false })];
    expect(kindsOf([], after).map(([, , name]) => name)).toEqual(['b', 'a']);
  });
});
