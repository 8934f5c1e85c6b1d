import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../bundles/compiled.ts';
import { currentResources } from './current-resources.ts';
import { newestRelease, readResources, releaseFiles } from './releases.ts';
import { replacements } from './replacements.ts';

/**
 * `npm run replacements` prints each resource that a deployment of this checkout replaces or removes, compared with the
 * newest release. `npm run replacements -- --write` writes the resources of that release again, before it is tagged.
 */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const newest = newestRelease();
const current = currentResources();
if (values.write) {
  for (const [path, text] of releaseFiles(newest, current)) writeFileSync(join(ROOT, path), text);
  console.log(`Wrote ${current.length} resources of release ${newest.version}.`);
} else {
  const found = replacements(readResources(newest.version), current);
  for (const { sentence } of found) console.log(sentence);
  console.log(`${found.length} resources of release ${newest.version} are replaced or removed.`);
}
