import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { BROWSER_MISSING, isBrowserLeftOut } from '#test/support/browser.ts';
import { type Count, type FileTime, readReport } from './run/report.ts';
import { Interrupted, NOT_RUN, runTool, stopOnSignal } from './run/tool.ts';

/**
 * `npm test`: every check there is. It prints how long each stage took, the slowest test files, which checks did not run,
 * and as its last line how many checks passed and failed.
 */

interface Outcome extends Count {
  files: FileTime[];
}
interface Stage {
  name: string;
  run: () => Promise<Outcome>;
}

const SLOWEST = 10;
const folder = mkdtempSync(join(tmpdir(), 'checks-'));

/**
 * A tool that passes or fails: one check. Its output is printed at its end, because other stages print meanwhile. A tool
 * that lacks a program counts neither as passed nor as failed.
 */
const check = (name: string, tool: string, args: string[], cwd?: string): Stage => ({
  name,
  run: async () => {
    const { code, output } = await runTool(tool, args, 'collect', cwd === undefined ? {} : { cwd });
    process.stdout.write(output);
    if (code === NOT_RUN) {
      notRun.push(`Not run: ${name}. ${output.trim()}`);
      return { passed: 0, failed: 0, files: [] };
    }
    console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}`);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, files: [] };
  },
});

/**
 * Checks the types. Its state is kept beside the compiled code, so that a further run checks only what has changed. The
 * state holds hashes of all sources, so it is never out of date. Several checkers would each check the types of the
 * libraries again.
 */
const types = (name: string, state: string, ...project: string[]): Stage =>
  check(name, 'tsc', [
    ...['--noEmit', '--checkers', '1', ...project],
    ...['--incremental', '--tsBuildInfoFile', `node_modules/.cache/${state}.tsbuildinfo`],
  ]);

/** Synthesizes both regions, one of them with all optional settings, and checks their templates. */
const synthesis = (): Stage => {
  const output = join(folder, 'cdk.out');
  const app = `${process.execPath} ${join(import.meta.dirname, '../infra/app.ts')}`;
  // Settings of stages stand in `cdk.json` alone, so this one has a folder of its own.
  writeFileSync(
    join(folder, 'cdk.json'),
    JSON.stringify({ app, notices: false, context: { stages: OPTIONAL_SETTINGS } }),
  );
  const synthesize = check('synthesis of all regions', 'cdk', ['synth', '--quiet', '--output', output], folder);
  const lint = check('lint of the templates', 'node', ['test/run/lint-templates.ts', output]);
  return {
    name: 'synthesis of all regions, lint of the templates',
    run: async () => {
      const synthesized = await synthesize.run();
      if (synthesized.failed > 0) return synthesized;
      const linted = await lint.run();
      return { passed: synthesized.passed + linted.passed, failed: linted.failed, files: [] };
    },
  };
};

/** A project of the test runner: every test is a check. */
const tests = (project: string): Stage => ({
  name: project,
  run: async () => {
    const report = join(folder, `${project}.json`);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { code } = await runTool('vitest', ['run', '--project', project, ...reporters], 'show');
    return readReport(report, code);
  },
});

/**
 * The stages of a row run at the same time. Stories wait much of their time, which leaves the processor to the synthesis.
 * Types and lint fill what the unit tests leave.
 */
const ROWS: readonly (readonly Stage[])[] = [
  [
    tests('unit'),
    types('types', 'types'),
    types('types of the console', 'console-types', '-p', 'console'),
    check('lint', 'biome', ['check', '.']),
  ],
  [tests('table')],
  [tests('story'), synthesis()],
];

/** Tools in Go end before their memory runs short, so they collect garbage less often. */
Object.assign(env, { GOGC: '400' });

stopOnSignal();
const total = { passed: 0, failed: 0 };
const times: string[] = [];
const notRun: string[] = [];
const files: FileTime[] = [];
try {
  for (const row of ROWS) await Promise.all(row.map(runStage));
  if (isBrowserLeftOut()) notRun.push(`Not run: tests in a browser. ${BROWSER_MISSING}`);
  console.log(`\nStages:\n${times.join('\n')}`);
  const slowest = files.toSorted((a, b) => b.millis - a.millis).slice(0, SLOWEST);
  console.log(`\nSlowest test files:\n${slowest.map(({ name, millis }) => timeLine(name, millis)).join('\n')}\n`);
  for (const line of notRun) console.log(line);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof Interrupted)) throw error;
  console.error(error.message);
  process.exitCode = 130;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runStage({ name, run }: Stage): Promise<void> {
  const start = performance.now();
  const outcome = await run();
  times.push(timeLine(name, performance.now() - start));
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  files.push(...outcome.files);
}

function timeLine(name: string, millis: number): string {
  return `${(millis / 1_000).toFixed(1).padStart(8)} s  ${name}`;
}
