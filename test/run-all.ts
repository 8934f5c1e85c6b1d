import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Count, type FileTime, readReport } from './run/report.ts';
import { Interrupted, runTool, stopOnSignal } from './run/tool.ts';

/**
 * `npm test`: every check there is. It prints how long each stage took, the slowest test files, and as its last line
 * how many checks passed and failed.
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

/** A tool that passes or fails: one check. Its output is printed at its end, because other stages print meanwhile. */
const check = (name: string, tool: string, args: string[]): Stage => ({
  name,
  run: async () => {
    const { code, output } = await runTool(tool, args, 'collect');
    process.stdout.write(output);
    console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name}`);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, files: [] };
  },
});

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
 */
const ROWS: readonly (readonly Stage[])[] = [
  [check('types', 'tsc', ['--noEmit']), check('lint', 'biome', ['check', '.'])],
  [tests('unit')],
  [tests('table')],
  [tests('volume')],
  [tests('report')],
  [tests('story'), check('synthesis of all regions', 'cdk', ['synth', '--quiet', '--output', join(folder, 'cdk.out')])],
];

stopOnSignal();
const total = { passed: 0, failed: 0 };
const times: string[] = [];
const files: FileTime[] = [];
try {
  for (const row of ROWS) await Promise.all(row.map(runStage));
  console.log(`\nStages:\n${times.join('\n')}`);
  const slowest = files.toSorted((a, b) => b.millis - a.millis).slice(0, SLOWEST);
  console.log(`\nSlowest test files:\n${slowest.map(({ name, millis }) => timeLine(name, millis)).join('\n')}\n`);
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
