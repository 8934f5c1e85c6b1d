import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';
import { GENERATORS, GO_RUNTIME } from './generators.ts';
import { isInstalled, run } from './run.ts';

/** The languages in which clients are generated, each with a generator of others (docs/clients.md). */

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface Language {
  name: string;
  /** The generator and its version, as its registry names them. */
  generator: string;
  /** What is missing on this machine; null = nothing. */
  missing: () => string | null;
  /**
   * Generates a client, and compiles it together with the program of the five minutes.
   *
   * @param folder an empty folder
   * @param document file of the OpenAPI document
   * @returns the command that runs the program
   */
  make: (folder: string, document: string) => Promise<readonly string[]>;
}

const generatorText = (language: keyof typeof GENERATORS): string =>
  `${GENERATORS[language].name} ${GENERATORS[language].version}`;

const copyProgram = (name: string, folder: string, as = name) => copyFileSync(join(PROGRAMS, name), join(folder, as));

const typescript: Language = {
  name: 'TypeScript',
  generator: generatorText('typescript'),
  missing: () => null,
  make: async (folder, document) => {
    const options = { fileName: 'api.ts', httpClientType: 'fetch', silent: true } as const;
    await generateApi({ input: document, output: folder, ...options });
    copyProgram('five-minutes.ts.txt', folder, 'five-minutes.ts');
    const compilerOptions = {
      ...{ target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], strict: true, noEmit: true },
      ...{ types: ['node'], typeRoots: [join(MODULES, '@types')], allowImportingTsExtensions: true },
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    run(folder, [join(MODULES, '.bin/tsc'), '-p', folder]);
    const outfile = join(folder, 'five-minutes.mjs');
    const entryPoints = [join(folder, 'five-minutes.ts')];
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' });
    return [process.execPath, outfile];
  },
};

const python: Language = {
  name: 'Python',
  generator: generatorText('python'),
  missing: () => (isInstalled('python3', '-c', 'import ensurepip, venv') ? null : 'python3 with venv'),
  make: async (folder, document) => {
    run(folder, ['python3', '-m', 'venv', 'venv']);
    const tool = (name: string) => join(folder, 'venv/bin', name);
    // The client needs the libraries that its generator needs, and no others.
    run(folder, [tool('pip'), 'install', '--quiet', `${GENERATORS.python.name}==${GENERATORS.python.version}`]);
    writeFileSync(join(folder, 'config.yml'), 'package_name_override: evidence\npost_hooks: []\n');
    const generate = ['generate', '--meta', 'none', '--config', 'config.yml', '--output-path', 'evidence'];
    const said = run(folder, [tool('openapi-python-client'), ...generate, '--path', document]);
    if (/Unable to (?:parse|process) schema/.test(said)) throw new Error(`The generator left schemas out: ${said}`);
    run(folder, [tool('python'), '-m', 'compileall', '-q', 'evidence']);
    copyProgram('five_minutes.py', folder);
    return [tool('python'), 'five_minutes.py'];
  },
};

const OAPI_CODEGEN = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${GENERATORS.go.version}`;
const RUNTIME = `github.com/oapi-codegen/runtime@${GO_RUNTIME}`;

const go: Language = {
  name: 'Go',
  generator: generatorText('go'),
  missing: () => (isInstalled('go', 'version') ? null : 'go'),
  make: async (folder, document) => {
    mkdirSync(join(folder, 'evidence'));
    run(folder, ['go', 'mod', 'init', 'five-minutes']);
    const generate = ['-generate', 'types,client', '-package', 'evidence', '-o', 'evidence/evidence.go'];
    run(folder, ['go', 'run', OAPI_CODEGEN, ...generate, document]);
    copyProgram('five_minutes.go', folder);
    run(folder, ['go', 'get', RUNTIME]);
    run(folder, ['go', 'mod', 'tidy']);
    run(folder, ['go', 'build', '-o', 'five-minutes', '.']);
    return [join(folder, 'five-minutes')];
  },
};

export const LANGUAGES: readonly Language[] = [typescript, python, go];
