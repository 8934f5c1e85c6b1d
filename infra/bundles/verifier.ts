import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { compiled, ROOT } from './compiled.ts';
import { licensesFile, packageFolders } from './licenses.ts';
import { packageVersion } from './package-version.ts';
import { packed } from './packed.ts';
import { publicRootOnly } from './public-root.ts';

/** The verifier as one file that Node runs alone (rules/verification.md#one-file). */

/** Name of the file. */
export const VERIFIER = 'verify.mjs';

/** What the file is made of. */
const SOURCES = ['verify', 'shared', 'infra/bundles', 'package.json', 'package-lock.json'];

/** Two of the libraries are CommonJS and call `require` for modules of Node. */
const PRELUDE =
  "import { createRequire as requireOfNode } from 'node:module';const require = requireOfNode(import.meta.url);";

/**
 * Bundles the verifier. The same sources and packages give the same bytes, in every folder and at every time.
 *
 * @returns the file, and the folders of the packages whose code it contains
 */
export async function bundleVerifier(): Promise<{ bytes: Buffer; packages: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, 'verify/main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    // The bundler would read the settings of types, which are none of the sources of the file.
    tsconfigRaw: {},
    minify: true,
    // The names and the licences of all libraries stand at the end.
    legalComments: 'none',
    outdir: ROOT,
    absWorkingDir: ROOT,
    alias: { yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js') },
    plugins: [publicRootOnly],
    logLevel: 'warning',
    write: false,
    metafile: true,
  });
  const [code, ...others] = outputFiles;
  if (!code || others.length > 0) throw new Error(`The bundler wrote ${outputFiles.length} files`);
  const packages = packageFolders(Object.keys(metafile.inputs));
  const text = [
    `// Verifier of delivery evidence, version ${packageVersion()}. It needs Node 20.12 or newer and nothing else: node ${VERIFIER} --help`,
    '// The licences of the libraries in this file stand at its end.',
    PRELUDE,
    code.text.trimEnd(),
    '/*',
    // A text that ends the comment would become code.
    licensesFile(packages).bytes.toString('utf8').replaceAll('*/', '* /'),
    '*/\n',
  ];
  return { bytes: Buffer.from(text.join('\n')), packages };
}

let building: Promise<string> | undefined;

/**
 * Builds the verifier, unless the folder holds what the present sources compile to.
 *
 * @returns the folder: the file as it is, as `.br` and as `.gz`, and its SHA-256 in the form of `sha256sum`
 */
export function buildVerifier(): Promise<string> {
  building ??= compiled({
    name: 'verifier',
    sources: SOURCES,
    compile: async (folder) => {
      for (const { name, bytes } of await verifierFiles()) writeFileSync(join(folder, name), bytes);
    },
  });
  return building;
}

async function verifierFiles(): Promise<{ name: string; bytes: Buffer }[]> {
  const { bytes } = await bundleVerifier();
  return [
    { name: VERIFIER, bytes },
    ...packed(VERIFIER, bytes),
    { name: `${VERIFIER}.sha256`, bytes: Buffer.from(`${hash('sha256', bytes)}  ${VERIFIER}\n`) },
  ];
}
