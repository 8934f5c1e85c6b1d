import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { groups } from '#functions/groups.ts';
import { OPTIONAL_SETTINGS } from '../optional-settings.ts';
import { synthesizeTemplates } from '../templates.ts';
import { fixedResources } from './fixed-resources.ts';
import { readReleased, writeReleased } from './released.ts';
import { replacements } from './replacements.ts';

/**
 * `npm run replacements` prints each resource that a deployment of this checkout replaces or removes, compared with the
 * last release. `npm run replacements -- --write` makes this checkout the last release.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'replacements-'));
try {
  const current = fixedResources(synthesizeTemplates(folder, groups, OPTIONAL_SETTINGS).eu);
  if (values.write) {
    writeReleased(current);
    console.log(`Wrote ${current.length} resources as the last release.`);
  } else {
    const found = replacements(readReleased(), current);
    for (const { sentence } of found) console.log(sentence);
    console.log(`${found.length} resources of the last release are replaced or removed.`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
