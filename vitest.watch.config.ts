import { defineConfig } from 'vitest/config';

/**
 * `npm run test:watch`: the unit tests of rules and functions, which answer at once. Tests that bundle, synthesize,
 * start processes or try random cases take seconds; `npm run test:unit` runs them all.
 */
export default defineConfig({
  test: {
    include: ['test/{shared,functions}/**/*.test.ts'],
    exclude: [
      'test/**/*.{table,volume,story,property}.test.ts',
      'test/**/*child*.test.ts',
      'test/functions/{meta,console,unknown-route}/**',
    ],
    isolate: false,
    maxWorkers: 2,
  },
});
