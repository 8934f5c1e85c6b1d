import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { iamDocument } from '#infra/iam-document.ts';
import { synthesize } from './synthesized.ts';

test('docs/iam.md is up to date; if not, run `node infra/write-iam-document.ts`', () => {
  const { eu } = synthesize(groups, { 'eu:mailSender': 'evidence@example.com' });
  expect(readFileSync('docs/iam.md', 'utf8')).toBe(iamDocument(eu.service));
});
