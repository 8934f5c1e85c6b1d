import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups } from '#functions/groups.ts';
import { OPTIONAL_SETTINGS } from '../optional-settings.ts';
import { stageTemplates, synthesizeTemplates } from '../templates.ts';
import { type FixedResource, fixedResources } from './fixed-resources.ts';

/** Returns the pinned resources of these sources, with all optional settings. */
export function currentResources(): FixedResource[] {
  const folder = mkdtempSync(join(tmpdir(), 'replacements-'));
  try {
    return fixedResources(stageTemplates(synthesizeTemplates(folder, groups, OPTIONAL_SETTINGS), 'eu'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
