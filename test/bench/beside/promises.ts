import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../page/markdown.ts';
import { median, quantile } from '../timing.ts';
import { type Attestation, attestationOf, sha256 } from './attestation.ts';
import type { Accepted, System } from './system.ts';

/** What a system has done when it answers, tried on the running systems. */

const CLIENTS = 16;
const EACH = 20;
const PROOFS = 20;
const PROOF_MILLIS = 60_000;

type Observed = [question: string, answer: string];

export async function observePromises(systems: readonly System[]): Promise<string> {
  const columns: Observed[][] = [];
  for (const system of systems) columns.push(await observe(system, `promises-${Date.now().toString(36)}`));
  const [first = []] = columns;
  const rows = first.map(([question], at) => [question, ...columns.map((column) => column[at]?.[1] ?? '')]);
  return table(['Tried', ...systems.map(({ name }) => name)], rows);
}

async function observe(system: System, run: string): Promise<Observed[]> {
  const written: { accepted: Accepted; isRead: boolean }[] = [];
  const client = async (at: number) => {
    for (let n = 0; n < EACH; n += 1) {
      const attestation = attestationOf(`${run}-${at}-${n}`);
      const accepted = system.accepted(await system.prepare(attestation, `${run}-${at}`)());
      written.push({ accepted, isRead: (await system.read(accepted)) === attestation.statement });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
  const count = (fits: (one: (typeof written)[number]) => boolean) =>
    `${written.filter(fits).length} of ${written.length}`;
  const sequences = new Set(written.map(({ accepted }) => accepted.sequence)).size;
  const proofs: number[] = [];
  for (let n = 0; n < PROOFS; n += 1) proofs.push(await millisToProof(system, `${run}-proof-${n}`));
  return [
    ['The next read returns the same bytes', count(({ isRead }) => isRead)],
    [
      'The answer has a number',
      `${count(({ accepted }) => Number.isInteger(accepted.number))}, in ${sequences} sequences`,
    ],
    ['Numbers that were given twice', `${repeatedNumbers(written.map(({ accepted }) => accepted))}`],
    ['The answer has a proof of inclusion', count(({ accepted }) => accepted.hasProof)],
    [
      'From the request to a proof, one client: median and longest',
      `${median(proofs).toFixed(0)} ms and ${quantile(proofs, 1).toFixed(0)} ms`,
    ],
    ['Status without credentials', `${(await system.writeAsStranger(attestationOf(`${run}-stranger`), run)).status}`],
    ['Status if the signature does not fit', await statusOf(system, forged(`${run}-forged`), run)],
    ['Statuses of the same write twice', await statusesOfRepeat(system, run)],
  ];
}

const repeatedNumbers = (written: readonly Accepted[]): number =>
  written.length - new Set(written.map(({ sequence, number }) => `${sequence} ${number}`)).size;

async function millisToProof(system: System, name: string): Promise<number> {
  const send = system.prepare(attestationOf(name), name);
  const began = performance.now();
  const accepted = system.accepted(await send());
  let isProven = accepted.hasProof;
  for (; !isProven; isProven = await system.isProven(accepted)) {
    if (performance.now() - began > PROOF_MILLIS)
      throw new Error(`${system.name} has no proof after ${PROOF_MILLIS} ms`);
    await sleep(50);
  }
  return performance.now() - began;
}

/** An attestation with the signature of another one. */
function forged(name: string): Attestation {
  const [one, other] = [attestationOf(name), attestationOf(`${name}-other`)];
  return { ...one, envelope: { ...one.envelope, signatures: other.envelope.signatures } };
}

const statusOf = async (system: System, attestation: Attestation, series: string): Promise<string> =>
  `${(await system.prepare(attestation, series)()).status}`;

async function statusesOfRepeat(system: System, run: string): Promise<string> {
  const send = system.prepare(attestationOf(`${run}-repeat`), run);
  return `${(await send()).status}, ${(await send()).status}`;
}

/** An accepted write in the file of `write`. */
interface Kept {
  accepted: Accepted;
  sha256: string;
}

/** Writes with 16 clients until the system ends or fails, and appends each accepted write to a file at once. */
export async function writeUntilEnd(system: System, file: string): Promise<number> {
  const run = `killed-${Date.now().toString(36)}`;
  let accepted = 0;
  const client = async (at: number) => {
    for (let n = 0; ; n += 1) {
      const attestation = attestationOf(`${run}-${at}-${n}`);
      const answer = await system.prepare(attestation, `${run}-${at}`)().catch(endOfConnection);
      if (!answer || answer.status >= 500) return;
      const kept: Kept = { accepted: system.accepted(answer), sha256: sha256(attestation.statement) };
      appendFileSync(file, `${JSON.stringify(kept)}\n`);
      accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
  return accepted;
}

const ENDED = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

function endOfConnection(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && ENDED.includes(`${error.code}`)) return;
  throw error;
}

/** Reads back what `writeUntilEnd` put into a file. */
export async function readBack(system: System, file: string): Promise<string> {
  const kept = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Kept => JSON.parse(line));
  const counts = { 'the same bytes': 0, 'other bytes': 0, nothing: 0 };
  for (const { accepted, sha256: expected } of kept) {
    const found = await system.read(accepted);
    if (found === undefined) counts.nothing += 1;
    else if (sha256(found) === expected) counts['the same bytes'] += 1;
    else counts['other bytes'] += 1;
  }
  const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return `${system.name}: ${kept.length} accepted writes; reads return ${parts.join(', ')}`;
}
