import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AUDIT_KINDS } from '#shared/organizations/rules/audit-kinds.ts';

it('the page of organizations lists every kind of audit entry, and no other', () => {
  const page = readFileSync('docs/rules/organizations.md', 'utf8');
  const [, table = ''] = /### Audit kinds\n([\s\S]*?)\n\n[A-Z]/.exec(page) ?? [];
  const listed = table.split('\n').flatMap((row) => {
    let subject = '';
    return [...row.matchAll(/`((?:[a-z_]+)?\.[a-z_]+)`/g)].map(([, kind = '']) => {
      if (!kind.startsWith('.')) [subject = ''] = kind.split('.');
      return kind.startsWith('.') ? subject + kind : kind;
    });
  });
  expect([...new Set(listed)].toSorted()).toEqual([...AUDIT_KINDS].toSorted());
});
