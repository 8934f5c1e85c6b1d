import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#infra/bundles/compiled.ts';
import { buildVerifier, VERIFIER } from '#infra/bundles/verifier.ts';
import { newId, type TrailId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { TAR_END, tarEntry } from '#shared/exports/rules/tar.ts';
import { sampleExport } from '#test/verify/sample-export.ts';
import { log } from '#test/verify/sample-log.ts';
import type { SampleTrail } from '#test/verify/sample-trails.ts';

/**
 * `npm run bench:verify -- [MOMENTS] [NODE]…`: makes an export with this many moments, a third of them with an attestation,
 * and measures how fast it is verified, by the sources and by the verifier as one file. NODE are paths of other versions of
 * Node. The figures hold for one machine only.
 */

const PER_TRAIL = 3;
/** About as much as a report of a scan states, and not long enough for a file of its own. */
const FACTS = JSON.stringify({
  results: Array.from({ length: 12 }, (_, i) => ({ rule: `rule-${i}`, passed: true, seconds: i })),
});

const trailOf = (_: unknown, i: number): SampleTrail => {
  const at = micros(1_795_000_000_000_000 + i);
  return { trail: newId<TrailId>(at), name: `run-${i}`, review: newId(at), facts: FACTS };
};

async function writeExport(total: number, file: string): Promise<number> {
  const { files, entries } = await sampleExport(Array.from({ length: Math.ceil(total / PER_TRAIL) }, trailOf), 1_000);
  const archive = await open(file, 'w');
  try {
    for (const [path, bytes] of files) await archive.write(await tarEntry(`acme/${path}`, bytes, 0));
    await archive.write(TAR_END);
  } finally {
    await archive.close();
  }
  return entries.length;
}

/** Prints what a process used when it ends: microseconds of processor time, and the most memory that it had in kilobytes. */
const REPORT = `data:text/javascript,import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.on('exit', () => console.error(JSON.stringify(process.resourceUsage())));`;

/** Runs a verifier. @returns its time and its processor time in seconds, and the most memory that it had in MB */
async function measured(node: string, args: readonly string[]) {
  const started = performance.now();
  const child = spawn(node, ['--import', REPORT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, report, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  if (code !== 0 && code !== 3) throw new Error(`The verifier ended with ${code}: ${report}`);
  const used = JSON.parse(report) as NodeJS.ResourceUsage;
  return {
    seconds: (performance.now() - started) / 1000,
    processor: (used.userCPUTime + used.systemCPUTime) / 1e6,
    megabytes: used.maxRSS / 1024,
    outcome: output.trim().split('\n').at(-1)?.slice(0, 20),
  };
}

async function bench(total: string, nodes: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-verify-'));
  try {
    const file = join(folder, 'acme.tar');
    // Linux counts the memory of a parent as memory of its child, so another process makes the export.
    const entries = Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'write', total, file]));
    console.log(`${entries} entries, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
    const one = join(await buildVerifier(), VERIFIER);
    const runs: [string, string, string[]][] = [
      ['npm run verify', process.execPath, [join(ROOT, 'verify/main.ts')]],
      ...[process.execPath, ...nodes].map((node): [string, string, string[]] => [`${node} ${VERIFIER}`, node, [one]]),
    ];
    for (const [name, node, program] of runs) {
      const run = await measured(node, [...program, file, '--log-key', log.verifierKey]);
      const rate = Math.round(entries / run.processor);
      const figures = [
        `${run.seconds.toFixed(1)} s`,
        `${run.processor.toFixed(1)} s of processor time`,
        `${rate} entries per second and core`,
        `${run.megabytes.toFixed(0)} MB`,
      ];
      console.log(`${name}: ${figures.join(', ')}: ${run.outcome}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first = '100000', ...rest] = process.argv.slice(2);
if (first === 'write') console.log(await writeExport(Number(rest[0]), rest[1] ?? ''));
else await bench(first, rest);
