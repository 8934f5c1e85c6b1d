import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BASE_OPTIONS, functionOptions } from '#infra/bundles/bundle.ts';

/** The two kinds of bare calls: with the functions' settings of the SDK, and with the SDK as it comes. */
export const BARE_KINDS = ['tuned', 'default'] as const;
export type BareKind = (typeof BARE_KINDS)[number];

/** Bundles bare calls to `<folder>/index.js`. The tuned ones get all options that bundles of functions get. */
export async function bundleBare(kind: BareKind, folder: string): Promise<void> {
  const { outputFiles } = await build({
    ...(kind === 'tuned' ? functionOptions() : BASE_OPTIONS),
    sourcemap: false,
    entryPoints: [fileURLToPath(new URL(`bare-${kind}.ts`, import.meta.url))],
  });
  const [file] = outputFiles;
  if (!file) throw new Error('The bundler wrote nothing');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.js'), file.contents);
}
