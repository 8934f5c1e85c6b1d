import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Builds the browser's part of the console (rules/web-console.md#build). `infra/bundles/console.ts` says where the files go.
 */
export default defineConfig({
  root: fileURLToPath(new URL('app', import.meta.url)),
  base: '/-/',
  plugins: [react()],
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
