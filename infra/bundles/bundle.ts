import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import { CHILD_PACKAGE } from '#shared/engines/packaged-child.ts';
import { POLICY_CHILD_ENTRY } from '#shared/evaluations/packaged-policy-child.ts';
import { compiled, ROOT } from './compiled.ts';
import { buildConsole } from './console.ts';
import { licensesFile, packageFolders } from './licenses.ts';
import { CONSOLE_FOLDER, LOADED_LATER, PLUGINS, REFERENCE_FOLDER, VERIFIER_FOLDER } from './plugins.ts';
import { buildVerifier, VERIFIER } from './verifier.ts';
import { writeZip, type ZipEntry } from './zip.ts';

const FUNCTIONS = join(ROOT, 'functions');

/** Folder of the engines' child process, inside the folder that an archive is unpacked to. */
export const ENGINES_FOLDER = 'engines';

/** The groups that run programs of callers: one checks programs of custom types, the other evaluates them. */
export const ENGINE_GROUPS: ReadonlySet<string> = new Set(['attestations', 'custom-attestation-types']);

/** Folder of the child process that evaluates policies, inside the same folder. */
export const POLICIES_FOLDER = 'policies';

/** The functions that evaluate policies: the evaluator, and the endpoints that replay evaluations. */
export const POLICY_FUNCTIONS: ReadonlySet<string> = new Set(['evaluations', 'evaluator']);

/**
 * Options of Node for single functions. The exporter makes much short-lived garbage: with the default size of the young
 * generation it takes half as much memory again (docs/decisions/0111-exports-in-steps.md).
 */
export const NODE_OPTIONS: Readonly<Record<string, string>> = { exporter: '--max-semi-space-size=4' };

/** The functions whose archives contain compiled files of the console: the page and the files that it loads. */
const CONSOLE_FUNCTIONS: ReadonlySet<string> = new Set(['console', 'unknown-route']);

/** The functions whose archives contain the verifier as one file: one serves it, the other puts it into exports. */
const VERIFIER_FUNCTIONS: ReadonlySet<string> = new Set(['console', 'exporter']);

/** The files that the page serves, and the licences that must accompany them. */
const REFERENCE_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
];

/** The archive of one function. */
export interface Bundle {
  name: string;
  /** Path of the archive. */
  zip: string;
  /**
   * Size of the function alone in bytes. Child processes and pages have budgets of their own, and no function loads the
   * licences.
   */
  size: number;
  /** Folders of the packages whose code the archive contains, such as `node_modules/zod`. */
  packages: string[];
  /** The SDK packages whose clients the archive contains. */
  clients: string[];
}

const entryOf = (name: string): string => join(FUNCTIONS, name, 'index.ts');
const endpointsOf = (name: string): string => join(FUNCTIONS, name, 'endpoints.ts');

/** Names of all functions: a folder with `endpoints.ts`, or with an `index.ts` of its own that exports `handler`. */
export const functionNames = (): string[] =>
  readdirSync(FUNCTIONS)
    .filter((name) => existsSync(entryOf(name)) || existsSync(endpointsOf(name)))
    .toSorted();

/** Returns the path of a function's archive in the folder of {@link bundleFunctions}. */
export const zipOf = (folder: string, name: string): string => join(folder, `${name}.zip`);

/**
 * What the archives are made of. The code of the functions imports nothing else of this project. The verifier is a file of
 * two archives, and the compiled console is a folder of one.
 */
const SOURCES = ['functions', 'shared', 'verify', 'console', 'infra/bundles', 'package.json', 'package-lock.json'];
/** File of the compiled folder that describes its archives. */
const LIST = 'bundles.json';

/**
 * Bundles all functions like {@link bundleFunctions}. If no source has changed since an earlier call, it copies the files
 * that this call left in `dist/functions` (rules/storage.md#bundles).
 */
export async function bundleService(folder: string): Promise<Bundle[]> {
  const kept = await compiled({
    name: 'functions',
    sources: SOURCES,
    compile: async (target) => writeFileSync(join(target, LIST), JSON.stringify(await bundleFunctions(target))),
  });
  cpSync(kept, folder, { recursive: true });
  // `compile` above wrote the list, in this call or in an earlier one.
  const bundles = JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as Bundle[];
  return bundles.map((bundle) => ({ ...bundle, zip: zipOf(folder, bundle.name) }));
}

/**
 * Bundles functions to `<folder>/<name>.zip`. The source maps go to `<folder>/source-maps/<name>/`, because a map is
 * larger than its bundle and would be loaded at every cold start. The same sources give the same bytes.
 */
export async function bundleFunctions(folder: string, names: readonly string[] = functionNames()): Promise<Bundle[]> {
  const [later, engines, policies, consoleFolder, verifierFolder] = await Promise.all([
    bundleLoadedLater(),
    names.some((name) => ENGINE_GROUPS.has(name)) ? bundleEngines() : NOTHING,
    names.some((name) => POLICY_FUNCTIONS.has(name)) ? bundlePolicies() : NOTHING,
    names.some((name) => CONSOLE_FUNCTIONS.has(name)) ? buildConsole() : '',
    names.some((name) => VERIFIER_FUNCTIONS.has(name)) ? buildVerifier() : '',
  ]);
  const childrenOf = (name: string, loads: ReadonlySet<string>): Part[] => [
    ...later.flatMap(({ file, part }) => (loads.has(`./${file}`) ? [part] : [])),
    ...(ENGINE_GROUPS.has(name) ? [engines] : []),
    ...(POLICY_FUNCTIONS.has(name) ? [policies] : []),
    ...(name === 'reference' ? [referencePart()] : []),
    ...(name === 'console' ? [consolePart(consoleFolder)] : []),
    ...(VERIFIER_FUNCTIONS.has(name) ? [verifierPart(verifierFolder)] : []),
  ];
  // One build for all functions, because the bundler then parses each module of the SDK once and not once per function.
  const entryPoints = names.map((name) => [
    `${name}/index`,
    existsSync(entryOf(name)) ? entryOf(name) : `${GROUP_ENTRY}${name}`,
  ]);
  const { outputFiles, metafile } = await build({ ...functionOptions(), entryPoints: Object.fromEntries(entryPoints) });
  const files = entriesOf(outputFiles);
  return names.map((name) => {
    const own = files.filter((file) => file.name.startsWith(`${name}/`));
    const unprefixed = own.map((file) => ({ ...file, name: file.name.slice(name.length + 1) }));
    const { inputs: read = {}, imports = [] } = metafile.outputs[`${name}/index.js`] ?? {};
    const inputs = Object.keys(read);
    const loads = new Set(imports.map(({ path }) => path));
    return {
      ...writeBundle(folder, name, { files: unprefixed, inputs }, childrenOf(name, loads)),
      clients: clientsOf(inputs),
    };
  });
}

/** Files of an archive, with the paths of what they were made of. */
interface Part {
  files: readonly ZipEntry[];
  inputs: readonly string[];
}

const NOTHING: Part = { files: [], inputs: [] };

/** @param children further parts of the archive: child processes and files of pages, each kind in its own folder */
function writeBundle(folder: string, name: string, { files, inputs }: Part, children: readonly Part[]) {
  const packages = packageFolders([...inputs, ...children.flatMap((child) => child.inputs)]);
  const all = [...files, ...children.flatMap((child) => child.files), licensesFile(packages)];
  const isMap = ({ name: file }: ZipEntry) => file.endsWith('.map');
  const maps = join(folder, 'source-maps', name);
  mkdirSync(maps, { recursive: true });
  for (const { name: file, bytes } of all.filter(isMap)) writeFileSync(join(maps, file.replaceAll('/', '-')), bytes);
  writeFileSync(zipOf(folder, name), writeZip(all.filter((file) => !isMap(file))));
  const own = writeZip(files.filter((file) => !isMap(file)));
  return { name, zip: zipOf(folder, name), size: own.length, packages };
}

/**
 * The options with the shortest measured cold start: CommonJS, minified, with the SDK (rules/storage.md#bundles).
 * CommonJS has no `import.meta`; the banner defines the address of the bundle instead.
 */
export const BASE_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: 'external',
  outdir: ROOT,
  absWorkingDir: ROOT,
  logLevel: 'warning',
  write: false,
  metafile: true,
  define: { 'import.meta.url': 'bundleUrl' },
  banner: { js: "const bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
} as const satisfies BuildOptions;

/** The options of functions. Each plugin and alias says what it leaves out. */
const functionOptions = () =>
  ({
    ...BASE_OPTIONS,
    alias: {
      '@aws-sdk/credential-provider-node': join(ROOT, 'infra/bundles/environment-credentials.ts'),
      'mnemonist/lru-cache': join(ROOT, 'infra/bundles/endpoint-lru-cache.ts'),
      // The same parser as ES modules, so that the bundler can leave out unused parts.
      yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js'),
    },
    plugins: [groupEntry, ...PLUGINS],
  }) as const satisfies BuildOptions;

const GROUP_ENTRY = 'entry-of-group:';

/** Writes the entry of a function that only serves the endpoints of its folder: it is the same for all of them. */
const groupEntry: Plugin = {
  name: 'group-entry',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${GROUP_ENTRY}`) }, ({ path }) => ({ path, namespace: 'group-entry' }));
    onLoad({ filter: /^/, namespace: 'group-entry' }, ({ path }) => {
      const name = path.slice(GROUP_ENTRY.length);
      const group = `${name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Group`;
      const imports = [
        [group, endpointsOf(name)],
        ['lambdaServices', join(FUNCTIONS, 'services.ts')],
        ['groupHandler', join(ROOT, 'shared/http/lambda.ts')],
      ];
      const contents = [
        ...imports.map(([imported, file]) => `import { ${imported} } from ${JSON.stringify(file)};`),
        `export const handler = groupHandler(${group}, lambdaServices());`,
      ];
      return { contents: contents.join('\n'), loader: 'ts', resolveDir: FUNCTIONS };
    });
  },
};

/**
 * Bundles the child process that runs programs of callers. jq is copied and not bundled, because it is WebAssembly and
 * looks for its binary beside itself (rules/storage.md#programs-of-callers).
 */
async function bundleEngines(): Promise<Part> {
  const child = await bundleChild(CHILD_PACKAGE.entry, 'shared/engines/child.ts');
  const jq = copied('node_modules/jq-web', [CHILD_PACKAGE.jq, CHILD_PACKAGE.jqBinary]);
  return inFolder(ENGINES_FOLDER, { files: [...child.files, ...jq.files], inputs: [...child.inputs, ...jq.inputs] });
}

/** Bundles the child process that evaluates policies. It contains the whole policy language. */
const bundlePolicies = async (): Promise<Part> =>
  inFolder(POLICIES_FOLDER, await bundleChild(POLICY_CHILD_ENTRY, 'shared/evaluations/policy-child.ts'));

/** Bundles the files that functions load at their first use. */
const bundleLoadedLater = () =>
  Promise.all(LOADED_LATER.map(async ({ file, source }) => ({ file, part: await bundleChild(file, source) })));

const referencePart = (): Part => inFolder(REFERENCE_FOLDER, copied('node_modules/swagger-ui-dist', REFERENCE_FILES));

/**
 * The files of the console. `LICENSES.md` has the licences of what is compiled into them.
 * @param folder where they were compiled to
 */
const consolePart = (folder: string): Part =>
  inFolder(CONSOLE_FOLDER, {
    files: [
      { name: 'LICENSES.md', bytes: readFileSync(join(folder, 'LICENSES.md')) },
      ...readdirSync(join(folder, 'assets')).map((name) => ({
        name,
        bytes: readFileSync(join(folder, 'assets', name)),
      })),
    ],
    inputs: [],
  });

/** The verifier as one file has the licences of its libraries in itself. @param folder where it was built */
const verifierPart = (folder: string): Part =>
  inFolder(VERIFIER_FOLDER, {
    files: readdirSync(folder)
      .filter((name) => name.startsWith(VERIFIER))
      .map((name) => ({ name, bytes: readFileSync(join(folder, name)) })),
    inputs: [],
  });

/** Files that are not compiled. @param folder from the root of the project */
const copied = (folder: string, names: readonly string[]): Part => ({
  files: names.map((name) => ({ name, bytes: readFileSync(join(ROOT, folder, name)) })),
  inputs: names.map((name) => `${folder}/${name}`),
});

/** @param entry name of the bundle, `<name>.js` */
async function bundleChild(entry: string, source: string): Promise<Part> {
  const { banner, define, ...options } = BASE_OPTIONS;
  const entryPoints = { [entry.replace(/\.js$/, '')]: join(ROOT, source) };
  const { outputFiles, metafile } = await build({ ...options, entryPoints });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  return { files: entriesOf(outputFiles), inputs };
}

const inFolder = (folder: string, { files, inputs }: Part): Part => ({
  files: files.map(({ name, bytes }) => ({ name: `${folder}/${name}`, bytes })),
  inputs,
});

const entriesOf = (files: readonly OutputFile[]): ZipEntry[] =>
  files.map(({ path, contents }) => ({ name: path.slice(ROOT.length + 1), bytes: Buffer.from(contents) }));

/** Returns the SDK packages with clients or helpers that a program imports by name, without their own dependencies. */
function clientsOf(inputs: readonly string[]): string[] {
  const packages = inputs.flatMap((path) => /node_modules\/(@aws-sdk\/[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].filter((name) => /\/(?:client-|lib-|s3-)/.test(name)).toSorted();
}
