import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { iamDocument } from './iam-document.ts';
import { templatesOf } from './templates.ts';

/** Writes docs/iam.md anew: after a change of what endpoints declare, or of what functions are given. */
const folder = mkdtempSync(join(tmpdir(), 'iam-'));
try {
  const { eu } = templatesOf(folder, groups, { 'eu:mailSender': 'evidence@example.com' });
  writeFileSync(new URL('../docs/iam.md', import.meta.url), iamDocument(eu.service));
} finally {
  rmSync(folder, { recursive: true });
}
