import { defineConfig } from 'vitest/config';

const table = 'test/**/*.table.test.ts';
const story = 'test/**/*.story.test.ts';

/**
 * - `unit`: needs nothing running
 * - `table`: needs the local database and bucket, started once for all files
 * - `story`: starts whole stacks and clients of its own, one file after another
 *
 * The projects run in this order, so that what watches the time of processes has the machine for itself.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [table, story], sequence: { groupOrder: 0 } },
      },
      {
        test: {
          name: 'table',
          include: [table],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'story',
          include: [story],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
