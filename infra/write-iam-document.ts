import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { iamDocument } from './documents/iam-document.ts';
import { OPTIONAL_SETTINGS } from './optional-settings.ts';
import { stageTemplates, synthesizeTemplates } from './templates.ts';

/** Writes docs/iam.md. Run this after changing what endpoints declare or which rights functions get. */
const folder = mkdtempSync(join(tmpdir(), 'iam-'));
try {
  const eu = stageTemplates(synthesizeTemplates(folder, groups, OPTIONAL_SETTINGS), 'eu');
  writeFileSync(new URL('../docs/iam.md', import.meta.url), iamDocument(eu.service));
} finally {
  rmSync(folder, { recursive: true });
}
