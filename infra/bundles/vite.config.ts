import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const BASE = '/-/';
const CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url));

/** Libraries of every page. They change less often than the application, so browsers keep their file over releases. */
const LIBRARIES =
  /\/node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?:react-router|router-core|history|react-store|store|react-query|query-core))\//;

/**
 * A module that this many files would share lies in the file of the first load. Without the limit, the builder makes further
 * files of the first load, and how many depends on the order of the imports.
 */
const SHARED_BY = 20;

/**
 * Names the order of the layers in every style. The order counts from the first mention of a layer, and the styles of
 * parts and pages can load before those of the base.
 */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.css') ? `@layer reset, tokens, base, parts, pages;\n${code}` : undefined),
};

/**
 * Names the files that the first script imports as scripts beside it, so that the browser asks for all of
 * them at once. Preloads would do the same, but some browsers refuse them under the content security policy.
 */
const importsOfEntry: Plugin = {
  name: 'imports-of-entry',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { chunk }) =>
      (chunk?.imports ?? []).map((file) => ({
        tag: 'script',
        attrs: { type: 'module', crossorigin: true, src: BASE + file },
        injectTo: 'head' as const,
      })),
  },
};

/**
 * Builds the browser's part of the console (rules/web-console.md#build). `console.ts` beside this file says where the files go.
 */
export default defineConfig({
  root: CONSOLE,
  base: BASE,
  plugins: [layerOrder, react(), importsOfEntry],
  build: {
    target: 'baseline-widely-available',
    assetsDir: 'assets',
    // The content security policy forbids scripts and styles inside of the page, and a preload counts as another source
    // in some browsers.
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'LICENSES.md' },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: LIBRARIES },
            { name: 'common', test: (id) => id.startsWith(CONSOLE), minShareCount: SHARED_BY },
          ],
        },
      },
    },
  },
});
