import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from './compiled.ts';

const Manifest = z.looseObject({ version: z.string() });

/** Returns the version of `package.json`: that of the release, or of the one that was made last. */
export const packageVersion = (): string =>
  Manifest.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).version;
