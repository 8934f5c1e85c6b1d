import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import { documentText } from '#functions/meta/document.ts';
import { CHILD_PACKAGE } from '#shared/engines/packaged-child.ts';
import { POLICY_CHILD_ENTRY } from '#shared/evaluations/packaged-policy-child.ts';
import { writeZip, type ZipEntry } from './zip.ts';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FUNCTIONS = join(ROOT, 'functions');

/** Where functions that have engines find the child process, below the place that a bundle is unpacked to. */
export const ENGINES_FOLDER = 'engines';

/** The groups that run caller-written programs: custom types check them, attestations evaluate them. */
export const ENGINE_GROUPS: ReadonlySet<string> = new Set(['attestations', 'custom-attestation-types']);

/** Where functions that evaluate policies find the process to do it in, below the same place. */
export const POLICIES_FOLDER = 'policies';

/** The functions that evaluate policies: one does, the endpoints replay. */
export const POLICY_FUNCTIONS: ReadonlySet<string> = new Set(['evaluations', 'evaluator']);

/** Where the function of the reference finds the files of its page, below the same place. */
export const REFERENCE_FOLDER = 'reference';

/** The files of the page that are served, and the terms that they are passed on under. */
const REFERENCE_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
];

/** What is uploaded for one function. */
export interface Bundle {
  name: string;
  /** Path of the archive. */
  zip: string;
  /** Size of the archive in bytes; without child processes and files of pages, which have budgets of their own. */
  size: number;
  /** The packages of the SDK that it contains clients of. */
  clients: string[];
}

const entryOf = (name: string): string => join(FUNCTIONS, name, 'index.ts');
const endpointsOf = (name: string): string => join(FUNCTIONS, name, 'endpoints.ts');

/** Names of all functions: a folder with `endpoints.ts`, or with an `index.ts` of its own that exports `handler`. */
export const functionNames = (): string[] =>
  readdirSync(FUNCTIONS)
    .filter((name) => existsSync(entryOf(name)) || existsSync(endpointsOf(name)))
    .toSorted();

/** Where the archive of a function lies below the folder of {@link bundleFunctions}. */
export const zipOf = (folder: string, name: string): string => join(folder, `${name}.zip`);

/**
 * Bundles functions to `<folder>/<name>.zip`, with their source maps apart in `<folder>/source-maps/<name>/`: a map is
 * larger than its bundle and would be loaded at every cold start. The same sources give the same bytes.
 */
export async function bundleFunctions(folder: string, names: readonly string[] = functionNames()): Promise<Bundle[]> {
  const [engines, policies] = await Promise.all([
    names.some((name) => ENGINE_GROUPS.has(name)) ? bundleEngines() : [],
    names.some((name) => POLICY_FUNCTIONS.has(name)) ? bundlePolicies() : [],
  ]);
  const childrenOf = (name: string) => [
    ...(ENGINE_GROUPS.has(name) ? engines : []),
    ...(POLICY_FUNCTIONS.has(name) ? policies : []),
    ...(name === 'reference' ? referenceFiles() : []),
  ];
  return Promise.all(names.map((name) => bundleFunction(folder, name, childrenOf(name))));
}

/** @param children what it has beside itself: processes that it starts, files of a page; each in a folder of its own */
async function bundleFunction(folder: string, name: string, children: readonly ZipEntry[]): Promise<Bundle> {
  const entryPoints = { index: existsSync(entryOf(name)) ? entryOf(name) : `${GROUP_ENTRY}${name}` };
  const { outputFiles, metafile } = await build({ ...functionOptions(), entryPoints });
  const files = entriesOf(outputFiles);
  const all = [...files, ...children];
  const isMap = ({ name: file }: ZipEntry) => file.endsWith('.map');
  const maps = join(folder, 'source-maps', name);
  mkdirSync(maps, { recursive: true });
  for (const { name: file, bytes } of all.filter(isMap)) writeFileSync(join(maps, file.replaceAll('/', '-')), bytes);
  const zip = writeZip(all.filter((file) => !isMap(file)));
  writeFileSync(zipOf(folder, name), zip);
  return {
    name,
    zip: zipOf(folder, name),
    size: (children.length === 0 ? zip : writeZip(files.filter((file) => !isMap(file)))).length,
    clients: clientsOf(Object.keys(metafile.inputs)),
  };
}

/**
 * Bundles as they were measured to start quickest: CommonJS, minified, the SDK within. CommonJS has no
 * `import.meta`; modules that look for a file beside themselves find the bundle instead.
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

/** What functions leave out beyond that: see each replacement. */
const functionOptions = () =>
  ({
    ...BASE_OPTIONS,
    alias: {
      '@aws-sdk/credential-provider-node': join(ROOT, 'infra/bundles/environment-credentials.ts'),
      'mnemonist/lru-cache': join(ROOT, 'infra/bundles/endpoint-lru-cache.ts'),
      // The same parser as ES modules, of which only what is used is taken.
      yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js'),
    },
    plugins: [groupEntry, writtenDocument, referenceBeside, withoutSchemaWriting, onlyMultipartForms],
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

/** The API's description is written while bundling: its function need not carry every definition to make it anew. */
const writtenDocument: Plugin = {
  name: 'written-document',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]meta[\\/]document\.ts$/ }, () => ({
      contents: `export const documentText = () => ${JSON.stringify(documentText())};`,
      loader: 'js',
    }));
  },
};

/** The files of the reference's page lie beside the bundle. */
const referenceBeside: Plugin = {
  name: 'reference-beside',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]reference[\\/]asset-folder\.ts$/ }, () => ({
      contents: `import { join } from 'node:path';
        export const assetFolder = () => join(__dirname, '${REFERENCE_FOLDER}');`,
      loader: 'js',
    }));
  },
};

/**
 * Schemas can write themselves as JSON Schema, which only the API's description asks for, and that is written already.
 * What remains says so, should anybody ask.
 */
const withoutSchemaWriting: Plugin = {
  name: 'without-schema-writing',
  setup: ({ onLoad }) => {
    const filter = /[\\/]zod[\\/]v4[\\/]core[\\/](?:json-schema-processors|to-json-schema)\.js$/;
    onLoad({ filter }, ({ path }) => {
      const names = readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm);
      const refusal = "()=>()=>{throw new Error('Bundles write no JSON Schema')}";
      return { contents: [...names].map(([, name]) => `export const ${name}=${refusal};`).join('\n') };
    });
  },
};

/** The service takes forms as multipart only. The parser leaves out a kind of form whose module exports nothing. */
const onlyMultipartForms: Plugin = {
  name: 'only-multipart-forms',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]busboy[\\/]lib[\\/]types[\\/]urlencoded\.js$/ }, () => ({ contents: '' }));
  },
};

/**
 * The process in which the engines run caller-written programs: a bundle of its own, and jq as it comes, since it is
 * WebAssembly that looks for its binary beside itself.
 */
async function bundleEngines(): Promise<ZipEntry[]> {
  const child = await bundleChild(CHILD_PACKAGE.entry, 'shared/engines/child.ts');
  const jq = [CHILD_PACKAGE.jq, CHILD_PACKAGE.jqBinary].map((name) => ({
    name,
    bytes: readFileSync(join(ROOT, 'node_modules/jq-web', name)),
  }));
  return inFolder(ENGINES_FOLDER, [...child, ...jq]);
}

/** The process in which policies are evaluated: it holds all of their language. */
const bundlePolicies = async (): Promise<ZipEntry[]> =>
  inFolder(POLICIES_FOLDER, await bundleChild(POLICY_CHILD_ENTRY, 'shared/evaluations/policy-child.ts'));

const referenceFiles = (): ZipEntry[] =>
  inFolder(
    REFERENCE_FOLDER,
    REFERENCE_FILES.map((name) => ({ name, bytes: readFileSync(join(ROOT, 'node_modules/swagger-ui-dist', name)) })),
  );

/** @param entry name of the bundle, `<name>.js` */
async function bundleChild(entry: string, source: string): Promise<ZipEntry[]> {
  const { banner, define, ...options } = BASE_OPTIONS;
  const entryPoints = { [entry.replace(/\.js$/, '')]: join(ROOT, source) };
  const { outputFiles } = await build({ ...options, entryPoints });
  return entriesOf(outputFiles);
}

const inFolder = (folder: string, entries: readonly ZipEntry[]): ZipEntry[] =>
  entries.map(({ name, bytes }) => ({ name: `${folder}/${name}`, bytes }));

const entriesOf = (files: readonly OutputFile[]): ZipEntry[] =>
  files.map(({ path, contents }) => ({ name: path.slice(ROOT.length + 1), bytes: Buffer.from(contents) }));

/** Packages of the SDK that somebody would import by name; what they consist of themselves is left out. */
function clientsOf(inputs: readonly string[]): string[] {
  const packages = inputs.flatMap((path) => /node_modules\/(@aws-sdk\/[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].filter((name) => /\/(?:client-|lib-|s3-)/.test(name)).toSorted();
}
