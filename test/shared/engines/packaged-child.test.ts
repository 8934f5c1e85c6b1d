import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { childEngines } from '#shared/engines/child-engines.ts';
import { CHILD_PACKAGE, packagedChild } from '#shared/engines/packaged-child.ts';

test('the child process runs from a package of three files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engines-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const jq = dirname(createRequire(import.meta.url).resolve('jq-web'));
  for (const file of [CHILD_PACKAGE.jq, CHILD_PACKAGE.jqBinary]) await copyFile(join(jq, file), join(folder, file));
  await build({
    entryPoints: [fileURLToPath(new URL('../../../shared/engines/child.ts', import.meta.url))],
    outfile: join(folder, CHILD_PACKAGE.entry),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    mainFields: ['module', 'main'],
  });
  const engines = childEngines({ child: packagedChild(folder), timeoutMillis: 10_000 });
  onTestFinished(() => engines.close());
  expect(await engines.runJq(['.a', '.b'], '{"a": true}')).toEqual([
    { ok: true, outputs: [true] },
    { ok: true, outputs: [null] },
  ]);
  expect(await engines.validate({ pattern: '^a+$', format: 'date' }, '"b"')).toMatch(/^\(root\) must match/);
}, 30_000);
