import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkOut, install, newestRelease } from '#test/golden/back.ts';
import { ROOT } from '#test/run/tool.ts';
import { type StageTemplates, synthesize } from './templates.ts';

/** The newest release and its templates. */
export interface Released {
  version: string;
  commit: string;
  templates: StageTemplates;
}

/**
 * Synthesizes the templates of the newest release with its own code, in a checkout below a folder.
 *
 * @returns undefined if the history has no release yet
 */
export async function synthesizeRelease(folder: string, signal: AbortSignal): Promise<Released | undefined> {
  const release = newestRelease(ROOT);
  if (release === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const checkout = join(folder, 'checkout');
  checkOut(ROOT, release.commit, checkout);
  await install(ROOT, checkout);
  const program = 'test/rehearsal/synthesize.ts';
  if (!existsSync(join(checkout, program))) {
    // A release from before the rehearsal. Its stages have their settings as flags.
    mkdirSync(join(checkout, 'test/rehearsal'), { recursive: true });
    copyFileSync(join(import.meta.dirname, 'synthesize-flags.mjs'), join(checkout, program));
  }
  return { ...release, templates: await synthesize(join(folder, 'synthesized'), signal, { checkout }) };
}
