import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AUDIT_KINDS } from '#shared/organizations/rules/audit-kinds.ts';
import { DECISIONS, partOf } from '#shared/restore/rules/decisions.ts';
import { isNarrower } from '#shared/restore/rules/narrower-trust.ts';

describe('the decisions of a restore', () => {
  it('are made for every kind of audit entry, with a reason where nothing is to do', () => {
    expect(Object.keys(DECISIONS)).toEqual([...AUDIT_KINDS]);
    const reasons = Object.values(DECISIONS).flatMap((one) => ('nothing' in one ? [one.nothing] : []));
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  });

  it('are listed on the page of restores', () => {
    const page = readFileSync('docs/rules/restore.md', 'utf8');
    const again = AUDIT_KINDS.filter((kind) => 'again' in DECISIONS[kind]);
    const [, table = ''] = /## Kinds of audit entries\n([\s\S]*?)\n## /.exec(page) ?? [];
    const rows = table.split('\n').filter((row) => row.startsWith('| `'));
    const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z_]+\.[a-z_]+)`/g)]);
    expect(listed.map(([, kind]) => kind).toSorted()).toEqual(again.toSorted());
  });

  it('know no kind of another release', () => {
    expect([partOf('member.removed'), partOf('flow.renamed'), partOf('thing.ended')]).toEqual([
      'members',
      null,
      'unknown',
    ]);
  });
});

describe('isNarrower', () => {
  const terms = (values: string[], more = {}) => ({
    account: { id: 'a' },
    preset: 'github',
    issuer: 'i',
    audience: 'x',
    claims: [{ name: 'repository_id', values }],
    minutes: 10,
    ...more,
  });

  it.each([
    ['fewer values', terms(['1']), true],
    ['one claim more', { ...terms(['1']), claims: [...terms(['1']).claims, { name: 'ref', values: ['main'] }] }, true],
    ['another value', terms(['3']), false],
    ['no claim', { ...terms([]), claims: [] }, false],
    ['another account', terms(['1'], { account: { id: 'b' } }), false],
    ['another audience', terms(['1'], { audience: 'y' }), false],
    ['more minutes', terms(['1'], { minutes: 11 }), false],
  ])('says of a trust with %s whether it accepts only what the other accepts', (_, one, expected) => {
    expect(isNarrower(one, terms(['1', '2']))).toBe(expected);
  });
});
