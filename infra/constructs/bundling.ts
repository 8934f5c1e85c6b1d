import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BundlingOptions,
  type ICommandHooks,
  LogLevel,
  OutputFormat,
  SourceMapMode,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { CHILD_PACKAGE } from '#shared/engines/packaged-child.ts';

/** The checkout: everything that is bundled lies below it. */
export const PROJECT_ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const LOCK_FILE = join(PROJECT_ROOT, 'package-lock.json');

/** Where the entry of a function lies; its folder is named after the function. */
export const entryOf = (name: string): string => join(PROJECT_ROOT, 'functions', name, 'index.ts');

/** Where functions that have engines find the child process: functions are unpacked to `/var/task`. */
const ENGINES_FOLDER = 'engines';
export const ENGINES_PATH = `/var/task/${ENGINES_FOLDER}`;

/** CommonJS has no `import.meta`; modules that look for a file beside themselves find the bundle instead. */
const IMPORT_META = {
  define: { 'import.meta.url': 'bundleUrl' },
  banner: "const bundleUrl=require('node:url').pathToFileURL(__filename).href;",
};

/**
 * Bundles as they were measured to start quickest: CommonJS, minified, the SDK within, source maps apart
 * (stack.md §4).
 *
 * @param name the function's folder below `functions/`
 * @param engines whether the function runs caller-written programs
 */
export const bundlingOf = (name: string, engines: boolean): BundlingOptions => ({
  format: OutputFormat.CJS,
  mainFields: ['module', 'main'],
  minify: true,
  bundleAwsSDK: true,
  logLevel: LogLevel.WARNING,
  sourceMap: true,
  sourceMapMode: SourceMapMode.EXTERNAL,
  ...IMPORT_META,
  commandHooks: afterBundling((outputDir) => [
    ...(engines ? shipEngines(outputDir) : []),
    ...keepSourceMapsApart(name, outputDir),
  ]),
});

const afterBundling = (commands: (outputDir: string) => string[]): ICommandHooks => ({
  beforeBundling: () => [],
  beforeInstall: () => [],
  afterBundling: (_inputDir, outputDir) => commands(outputDir),
});

/**
 * Commands that package the process in which the engines run caller-written programs: a bundle of its own, and jq as it
 * comes, since it is WebAssembly that looks for its binary beside itself (stack.md §6).
 */
function shipEngines(outputDir: string): string[] {
  const folder = join(outputDir, ENGINES_FOLDER);
  const jq = join(PROJECT_ROOT, 'node_modules/jq-web');
  const bundle = [
    'npx --no-install esbuild',
    quoted(join(PROJECT_ROOT, 'shared/engines/child.ts')),
    '--bundle --platform=node --target=node24 --format=cjs --main-fields=module,main --minify --sourcemap=external',
    '--log-level=warning',
    quoted(`--outfile=${join(folder, CHILD_PACKAGE.entry)}`),
  ].join(' ');
  const copies = [CHILD_PACKAGE.jq, CHILD_PACKAGE.jqBinary].map(
    (file) => `cp ${quoted(join(jq, file))} ${quoted(join(folder, file))}`,
  );
  return [bundle, ...copies];
}

/**
 * Commands that move source maps out of what is uploaded: a map is larger than its bundle and would be loaded at every
 * cold start. They stay beside the assembly, for reading a stack trace.
 */
function keepSourceMapsApart(name: string, outputDir: string): string[] {
  const apart = join(dirname(outputDir), 'source-maps', name);
  return [`mkdir -p ${quoted(apart)}`, `find ${quoted(outputDir)} -name '*.map' -exec mv {} ${quoted(apart)} ';'`];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
