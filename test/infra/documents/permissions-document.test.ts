import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { permissionsDocument } from '#infra/documents/permissions-document.ts';

test('docs/permissions.md is up to date; if not, run `node infra/write-permissions-document.ts`', () => {
  expect(readFileSync('docs/permissions.md', 'utf8')).toBe(permissionsDocument(groups));
});

test('docs/permissions.md has one row per endpoint', () => {
  const rows = permissionsDocument(groups)
    .split('\n')
    .filter((line) => /^\| `[A-Z]+ /.test(line));
  const endpoints = groups.flatMap(({ endpoints }) => endpoints);
  expect(rows).toHaveLength(endpoints.length);
  expect(new Set(rows.map((row) => row.split('|')[1])).size).toBe(rows.length);
});
