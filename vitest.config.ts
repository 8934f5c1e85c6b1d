import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const table = 'test/**/*.{table,volume}.test.ts';
const story = 'test/**/*.story.test.ts';

/** Two workers keep two cores busy. */
const WORKERS = 2;
/** Stories often wait for a poll, a retry or the end of a process, so three workers keep two cores busy. */
const STORY_WORKERS = 3;

/** The slowest files, by their paths below `test`. They start first, so that none of them runs alone at the end. */
const SLOWEST = [
  ...[
    'story/kill',
    'story/witness',
    'soak/soak',
    'story/client/walk/walk',
    'story/client/sbom',
    'story/log',
    'story/incidents/incidents',
    'infra/local/main',
    'infra/local/compact',
    'story/restore',
    'console/browser/pages',
    'story/documents/documents',
  ],
  ...['story/client/evaluations', 'infra/local/functions/bundles', 'story/evaluations', 'story/notifications'],
  ...['console/browser/empty-organizations', 'console/browser/failures', 'infra/local/stack', 'story/drain'],
  ...[
    'golden/write',
    'golden/golden',
    'forger/export',
    'functions/exporter/under-load',
    'forger/database',
    'fuzz/fuzz',
    'infra/bundles/bundle',
    'shared/evaluations/child-policy-engine',
    'shared/engines/child-engines',
  ],
  ...['functions/repos/budgets', 'functions/environment-budgets', 'shared/series/series', 'functions/budgets'],
  ...['api/permissions', 'functions/operator/erase-exports', 'verify/covers', 'api/generated-client'],
  ...['functions/expectations/gap-notices', 'functions/expectations/completion-gaps', 'forger/cheats'],
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = SLOWEST.findIndex((name) => moduleId.includes(`/test/${name}.`));
      return found < 0 ? SLOWEST.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** Stacks, clients and engines start as processes many times. With kept compiled code a start takes half as long. */
Object.assign(env, {
  NODE_COMPILE_CACHE: join(fileURLToPath(new URL('.', import.meta.url)), 'node_modules/.cache/node'),
});

/** Node runs the sources itself, as in a stack. It needs less processor time than vitest's own loader of modules. */
const experimental = { viteModuleRunner: false };

/**
 * `docs/testing.md` describes the projects. They run one after another, first those that need nothing running.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          experimental,
          include: ['test/**/*.test.ts'],
          exclude: [table, story],
          isolate: false,
          maxWorkers: WORKERS,
          // Tests that read every source take seconds where other work runs beside them.
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'table',
          experimental,
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
          name: 'story',
          experimental,
          include: [story],
          globalSetup: ['test/story/shared-stack.ts'],
          isolate: false,
          maxWorkers: STORY_WORKERS,
          // A poll of a story is a request to a stack.
          expect: { poll: { interval: 200 } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
