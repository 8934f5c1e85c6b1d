import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** `npm test`: every check there is, one after another, and as its last line how many passed and failed. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Count {
  passed: number;
  failed: number;
}

/** The part of the test runner's report that is counted. */
const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.unknown()) })),
});

const folder = mkdtempSync(join(tmpdir(), 'checks-'));
const report = join(folder, 'report.json');
const total: Count = { passed: 0, failed: 0 };
try {
  add(await single('types', 'tsc', ['--noEmit']));
  add(await single('lint', 'biome', ['check', '.']));
  add(await tests());
  add(await single('synthesis of all regions', 'cdk', ['synth', '--quiet', '--output', join(folder, 'cdk.out')]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

function add({ passed, failed }: Count): void {
  total.passed += passed;
  total.failed += failed;
}

/** A tool that says yes or no: one check. */
async function single(name: string, tool: string, args: string[]): Promise<Count> {
  const ok = (await run(tool, args)) === 0;
  console.log(`${ok ? 'ok' : 'FAILED'}: ${name}`);
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Every test is a check. A file that cannot be loaded has none and counts as one that failed; so does an empty run. */
async function tests(): Promise<Count> {
  const code = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = Report.parse(JSON.parse(readFileSync(report, 'utf8')));
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = numFailedTests + broken;
  const unexplained = failed === 0 && (code !== 0 || numPassedTests === 0);
  return { passed: numPassedTests, failed: unexplained ? 1 : failed };
}

async function run(tool: string, args: string[]): Promise<number> {
  const child = spawn(join(ROOT, 'node_modules', '.bin', tool), args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    process.off('SIGINT', forward).off('SIGTERM', forward);
  }
}
