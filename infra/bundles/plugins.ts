import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import { documentText } from '#functions/meta/document.ts';
import { shellText } from '#functions/unknown-route/shell-text.ts';

/** Folder of the files of the reference page, inside the folder that an archive is unpacked to. */
export const REFERENCE_FOLDER = 'reference';

/** Folder of the compiled files of the console, inside the same folder. */
export const CONSOLE_FOLDER = 'console';

/** Writes the OpenAPI document at bundling time, so that its function does not contain the endpoints of all groups. */
const writtenDocument: Plugin = {
  name: 'written-document',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]meta[\\/]document\.ts$/ }, () => ({
      contents: `export const documentText = () => ${JSON.stringify(documentText())};`,
      loader: 'js',
    }));
  },
};

/** Writes the page that loads the console at bundling time, so that its function reads no file. */
const writtenShell: Plugin = {
  name: 'written-shell',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]functions[\\/]unknown-route[\\/]shell-text\.ts$/ }, () => ({
      contents: `export const shellText = () => ${JSON.stringify(shellText())};`,
      loader: 'js',
    }));
  },
};

/** Lets a function find a folder beside its bundle. In the sources, the module computes the address of the folder. */
const folderBeside = (name: string, filter: RegExp, exported: string, folder: string): Plugin => ({
  name,
  setup: ({ onLoad }) => {
    onLoad({ filter }, () => ({
      contents: `import { join } from 'node:path';
        export const ${exported} = () => join(__dirname, '${folder}');`,
      loader: 'js',
    }));
  },
});

const referenceBeside = folderBeside(
  'reference-beside',
  /[\\/]functions[\\/]reference[\\/]asset-folder\.ts$/,
  'assetFolder',
  REFERENCE_FOLDER,
);

/** A file that functions load at its first use, so that their start does not read it. */
interface LoadedLater {
  /** Its place inside the folder that an archive is unpacked to. */
  file: string;
  /** Where its source is. The import of functions ends with the same name. */
  source: string;
}

/**
 * What lies in files of their own: the reader of SBOMs with the parser of XML (docs/decisions/0170-reading-an-sbom.md), and the verifier
 * of bundles with the libraries of Sigstore (docs/decisions/0274-bundles-as-evidence.md).
 */
export const LOADED_LATER: readonly LoadedLater[] = [
  { file: 'sbom/reader.js', source: 'shared/evidence/rules/sbom/inspect-sbom.ts' },
  { file: 'signatures/verifier.js', source: 'shared/evidence/rules/bundles/inspect-bundles.ts' },
  { file: 'signatures/updater.js', source: 'shared/signers/public-root/update-public-root.ts' },
];

const loadedLater: Plugin = {
  name: 'loaded-later',
  setup: ({ onResolve }) => {
    for (const { file, source } of LOADED_LATER) {
      onResolve({ filter: new RegExp(`/${basename(source).replace('.', String.raw`\.`)}$`) }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: `./${file}`, external: true } : undefined,
      );
    }
  },
};

const consoleBeside = folderBeside(
  'console-beside',
  /[\\/]functions[\\/]console[\\/]asset-folder\.ts$/,
  'assetFolder',
  CONSOLE_FOLDER,
);

/** Folder of the verifier as one file, inside the same folder. */
export const VERIFIER_FOLDER = 'verifier';

const verifierBeside = folderBeside(
  'verifier-beside',
  /[\\/]functions[\\/]verifier-folder\.ts$/,
  'verifierFolder',
  VERIFIER_FOLDER,
);

/**
 * Leaves out the code that writes schemas as JSON Schema. Only the OpenAPI document needs this code, and the document is
 * written at bundling time. A call of the removed functions throws.
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

/** A call of `describe` with a text, as the schemas of fields have it. */
const DESCRIPTION = /\s*\.describe\(\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),?\s*\)/g;

/**
 * Leaves out the descriptions of fields for the same reason. With them, the archives of groups are up to 0.8 % larger, and
 * each one costs a copy of its schema when the function starts. Line breaks stay, so that source maps name the right lines.
 */
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](?:functions|shared)[\\/][^:]+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(DESCRIPTION, (call) => '\n'.repeat(call.split('\n').length - 1)),
      loader: 'ts',
    }));
  },
};

/** The service takes forms as multipart only. The parser leaves out a kind of form whose module exports nothing. */
const onlyMultipartForms: Plugin = {
  name: 'only-multipart-forms',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]busboy[\\/]lib[\\/]types[\\/]urlencoded\.js$/ }, () => ({ contents: '' }));
  },
};

/** What the bundles of functions contain in place of a module of the sources. Each plugin says why. */
export const PLUGINS: readonly Plugin[] = [
  writtenDocument,
  writtenShell,
  referenceBeside,
  loadedLater,
  consoleBeside,
  verifierBeside,
  withoutSchemaWriting,
  onlyMultipartForms,
  withoutDescriptions,
];
