import { defineConfig } from 'vitest/config';

const table = 'test/**/*.table.test.ts';
const volume = 'test/**/*.volume.test.ts';
const story = 'test/**/*.story.test.ts';

/** What a test waits for keeps a core idle now and then; two workers keep two cores busy. */
const WORKERS = 2;

/**
 * - `unit`: needs nothing running
 * - `table`: needs the local database and bucket, started once for all files
 * - `volume`: the same with tables of many thousand items, in a database of their own: beside them it is slow for others
 * - `story`: starts whole stacks and clients of its own, one file after another
 *
 * The projects run in this order, so that what watches the time of processes has the machine for itself.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [table, volume, story],
          maxWorkers: WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'table',
          include: [table],
          globalSetup: ['test/support/global-setup.ts'],
          isolate: false,
          maxWorkers: WORKERS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'volume',
          include: [volume],
          globalSetup: ['test/support/global-setup.ts'],
          isolate: false,
          maxWorkers: WORKERS,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'story',
          include: [story],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
