import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkOf, GROUPS } from './chunks.ts';

const BASE = '/-/';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url));

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

const pathOf = (id: string): string => relative(ROOT, id);

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
    // All styles together are small, and a file of them for each part would be a request for each part.
    cssCodeSplit: false,
    modulePreload: false,
    license: { fileName: 'LICENSES.md' },
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A group takes its modules with what they import, unless a group before it has taken that already.
          groups: GROUPS.map((debugName) => ({
            debugName,
            name: (id, context) => {
              const chunk = chunkOf(id, { read: (one) => context.getModuleInfo(one), pathOf });
              return chunk?.group === debugName ? chunk.name : null;
            },
          })),
        },
      },
    },
  },
});
