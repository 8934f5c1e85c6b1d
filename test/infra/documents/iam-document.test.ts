import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { iamDocument } from '#infra/documents/iam-document.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { statementsByRole } from '../statements.ts';
import { serviceTemplates } from '../synthesized.ts';

const { service } = serviceTemplates(OPTIONAL_SETTINGS).eu;

test('docs/iam.md is up to date; if not, run `node infra/write-iam-document.ts`', () => {
  expect(readFileSync('docs/iam.md', 'utf8')).toBe(iamDocument(service));
});

test('docs/iam.md names every action that a role allows', () => {
  const statements = [...statementsByRole(service).values()].flat();
  const actions = statements.flatMap(({ Action }) => Action);
  const document = iamDocument(service);
  expect([...new Set(actions)].filter((action) => !document.includes(`\`${action}\``))).toEqual([]);
});
