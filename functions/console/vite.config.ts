import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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
 * Builds the browser's part of the console (rules/web-console.md#build). `infra/bundles/console.ts` says where the files go.
 */
export default defineConfig({
  root: fileURLToPath(new URL('app', import.meta.url)),
  base: '/-/',
  plugins: [layerOrder, react()],
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
  },
});
