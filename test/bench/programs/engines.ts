import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileModules, evaluate, parseJson, parseModules } from '#shared/rego/index.ts';
import { NO_COLLECTION } from '#test/story/client/no-collection.ts';
import { COMPREHENSIONS, longPolicy, STAGES } from './evaluation-policies.ts';

/**
 * Compares the engine with the one of the command-line client: the same policies over the same input. A policy is compiled
 * and evaluated each time, as an evaluation does it. For this part alone: `node test/bench/programs/engines.ts`.
 *
 * The client has a process per evaluation. Its time is that of a run minus the time of a run with a policy that reads
 * nothing, on the same input: so neither the start of the process nor reading the input counts. Each time is the
 * shortest of several runs, because other work on the machine only makes runs longer.
 */

const BINARY = fileURLToPath(new URL('../../../node_modules/.bin/kosli', import.meta.url));
const RUNS = 9;
const TRAILS = 10;
const ATTESTATIONS = 500;
const PARAMS = { most_seconds: 60 };

/** The most that our engine may take, as a multiple of the client's time. */
const MOST_TIMES = 5;

/** Milliseconds per evaluation of one policy. */
export interface EngineFigures {
  readonly policy: string;
  readonly ours: number;
  readonly client: number;
}

/** @returns the figures of each policy */
export async function benchEngines(): Promise<EngineFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-engines-'));
  try {
    const input = JSON.stringify(inputOfTrails());
    writeFileSync(join(folder, 'input.json'), input);
    const start = client(folder, 'package policy\n\nallow := true\n');
    const policies = { 'a policy of 500 lines': longPolicy(), 'comprehensions in comprehensions': COMPREHENSIONS };
    return Object.entries(policies).map(([policy, text]) => ({
      policy: `${policy}, ${TRAILS} trails of ${ATTESTATIONS} attestations`,
      ours: ours(text, parseJson(input)),
      client: client(folder, text) - start,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function printEngines(figures: readonly EngineFigures[]): void {
  for (const { policy, ours: mine, client: other } of figures) {
    const perSecond = (millis: number) => `${(1000 / millis).toFixed(1)}/s (${millis.toFixed(1)} ms)`;
    const times = mine / other;
    console.error(
      `${times > MOST_TIMES ? '!' : ' '} ${policy}: ${perSecond(mine)}, the client's engine ${perSecond(other)}, ${times.toFixed(2)} times its time`,
    );
  }
}

function ours(text: string, input: unknown): number {
  return shortest(() => {
    const compiled = compileModules(parseModules([{ path: 'policy.rego', text }]), { params: PARAMS });
    const { value } = evaluate(compiled, { query: 'data.policy.allow', input, now: 0n });
    if (value !== true) throw new Error(`the policy has to allow, and is ${String(value)}`);
  });
}

function client(folder: string, text: string): number {
  const file = join(folder, 'policy.rego');
  writeFileSync(file, text);
  const files = ['--policy', file, '--input-file', join(folder, 'input.json')];
  const args = ['evaluate', 'input', ...files, '--params', JSON.stringify(PARAMS), '--output', 'json'];
  return shortest(() => execFileSync(BINARY, args, { env: { ...NO_COLLECTION, HOME: folder } }));
}

function shortest(run: () => unknown): number {
  const times = Array.from({ length: RUNS }, () => {
    const begin = performance.now();
    run();
    return performance.now() - begin;
  });
  return Math.min(...times);
}

function inputOfTrails() {
  const attestation = (trail: number) => (_: unknown, i: number) => [
    `check-${i}`,
    {
      attestation_type: i % 2 === 0 ? 'generic' : 'junit',
      is_compliant: true,
      user_data: {
        stage: `stage-${(i % STAGES) + 1}`,
        seconds: i % 60,
        text: `build ${i} of trail-${trail}`,
        tags: ['nightly', `shard-${i % 7}`],
      },
    },
  ];
  const trails = Array.from({ length: TRAILS }, (_, n) => ({
    name: `trail-${n}`,
    compliance_status: {
      attestations_statuses: Object.fromEntries(Array.from({ length: ATTESTATIONS }, attestation(n))),
    },
  }));
  return { trails };
}

if (import.meta.main) printEngines(await benchEngines());
