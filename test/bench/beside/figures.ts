import { availableParallelism } from 'node:os';
import { table } from '../page/markdown.ts';
import { median, quantile } from '../timing.ts';
import { attestationOf } from './attestation.ts';
import { busyMillis, bytesOf, cpuMillis, idleShare, settled } from './processes.ts';
import type { System } from './system.ts';

/** A running system and where it runs. */
export interface Running {
  system: System;
  /** Its processes. Their descendants belong to it too. */
  processes: readonly number[];
  /** The folders of all its data. */
  data: readonly string[];
}

export interface Plan {
  rounds: number;
  /** How many attestations a system takes in a turn. */
  attestations: number;
  progress(text: string): void;
}

/** The figures of one system with some clients in one round. */
interface Turn {
  system: string;
  clients: number;
  perSecond: number;
  medianMillis: number;
  p99Millis: number;
  /** Processor time of the system for each attestation, until it has settled, without what it takes while nobody calls it. */
  cpuMillis: number;
  /** Processor time of all other processes during the turn, as a share of the machine. */
  others: number;
  settled: boolean;
}

const CLIENTS = [1, 16];
/** A client begins a new series after this number of attestations. */
const SERIES = 100;

/** Measures both systems in rounds. Each system is measured while the other one has nothing to do. */
export async function compare(systems: readonly Running[], { rounds, attestations, progress }: Plan): Promise<string> {
  const run = Date.now().toString(36);
  const idle = new Map<string, number>();
  for (const { system, processes } of systems) idle.set(system.name, await idleShare(processes));
  const stored = new Map<string, number>();
  const before = systems.map(({ data }) => bytesOf(data));
  const turnOf = async (running: Running, round: string, clients: number): Promise<Turn> => {
    const { system, processes } = running;
    const [busy, own, cpu] = [busyMillis(), process.cpuUsage(), cpuMillis(processes)];
    const began = performance.now();
    const { millis, elapsed } = await write(system, `${run}-${round}-${clients}`, clients, attestations);
    const isSettled = await settled(processes, idle.get(system.name) ?? 0);
    const lasted = performance.now() - began;
    const { user, system: kernel } = process.cpuUsage(own);
    stored.set(system.name, (stored.get(system.name) ?? 0) + millis.length);
    const used = cpuMillis(processes) - cpu;
    return {
      system: system.name,
      clients,
      perSecond: (millis.length / elapsed) * 1_000,
      medianMillis: median(millis),
      p99Millis: quantile(millis, 0.99),
      cpuMillis: (used - lasted * (idle.get(system.name) ?? 0)) / millis.length,
      others: (busyMillis() - busy - used - (user + kernel) / 1_000) / (lasted * availableParallelism()),
      settled: isSettled,
    };
  };
  for (const running of systems) {
    progress(`${running.system.name}: warm-up`);
    await turnOf(running, 'warm-up', 16);
  }
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The system that comes first changes.
    for (const clients of CLIENTS) {
      for (const running of round % 2 === 0 ? systems : systems.toReversed()) {
        const turn = await turnOf(running, `${round}`, clients);
        turns.push(turn);
        progress(`round ${round + 1} of ${rounds}, ${line(turn)}`);
      }
    }
  }
  // Databases extend their files by megabytes at once, so only the growth over the whole run says something.
  const bytes = systems.map(({ system, data }, at) => {
    const perAttestation = (bytesOf(data) - (before[at] ?? 0)) / (stored.get(system.name) ?? 0);
    return `${(perAttestation / 1_024).toFixed(1)} KB for each attestation of ${system.name}`;
  });
  return sectionOf(turns, { rounds, attestations, idle, bytes });
}

/** Lets clients write a number of attestations, each client one after another. */
async function write(
  system: System,
  name: string,
  clients: number,
  attestations: number,
): Promise<{ millis: number[]; elapsed: number }> {
  const millis: number[] = [];
  const began = performance.now();
  let begun = 0;
  const client = async (at: number) => {
    for (let n = 0; begun < attestations; n += 1) {
      begun += 1;
      const attestation = attestationOf(`${name}-${at}-${n}`);
      const send = system.prepare(attestation, `${name}-${at}-${Math.floor(n / SERIES)}`);
      const sentAt = performance.now();
      const answer = await send();
      millis.push(performance.now() - sentAt);
      system.accepted(answer);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
  return { millis, elapsed: performance.now() - began };
}

/** What remains after a subtraction of measured times can be slightly below zero. */
const percent = (share: number) => `${(Math.max(share, 0) * 100).toFixed(0)} %`;

function line(turn: Turn): string {
  const { system, clients, perSecond, medianMillis, p99Millis, cpuMillis, others } = turn;
  return [
    `${system}, ${clients} client(s): ${perSecond.toFixed(0)}/s`,
    `median ${medianMillis.toFixed(1)} ms`,
    `p99 ${p99Millis.toFixed(1)} ms`,
    `processor ${cpuMillis.toFixed(1)} ms`,
    `other work ${percent(others)}`,
    ...(turn.settled ? [] : ['not settled']),
  ].join(', ');
}

interface Circumstances {
  rounds: number;
  attestations: number;
  idle: ReadonlyMap<string, number>;
  bytes: readonly string[];
}

/** The figures of the page, as Markdown. */
function sectionOf(turns: readonly Turn[], { rounds, attestations, idle, bytes }: Circumstances): string {
  const groups = CLIENTS.flatMap((clients) =>
    [...idle.keys()].map((system) => turns.filter((turn) => turn.system === system && turn.clients === clients)),
  );
  const spread = (group: readonly Turn[], value: (turn: Turn) => number, digits: number) => {
    const values = group.map(value);
    const [mid, low, high] = [median(values), Math.min(...values), Math.max(...values)];
    return `${mid.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
  };
  const rows = groups.map((group) => [
    `${group[0]?.system}, ${group[0]?.clients === 1 ? '1 client' : `${group[0]?.clients} clients`}`,
    spread(group, ({ perSecond }) => perSecond, 0),
    spread(group, ({ medianMillis }) => medianMillis, 1),
    spread(group, ({ p99Millis }) => p99Millis, 1),
    spread(group, ({ cpuMillis }) => cpuMillis, 1),
  ]);
  const others = turns.map((turn) => turn.others);
  const unsettled = turns.filter((turn) => !turn.settled).length;
  const { statement, envelope } = attestationOf('size');
  const sizes = `A statement has ${statement.length} bytes, its envelope ${JSON.stringify(envelope).length}.`;
  const shares = [...idle].map(([system, share]) => `${system} takes ${percent(share)} of a core`);
  const rest =
    unsettled === 0
      ? ''
      : `\n- In ${unsettled} of ${turns.length} turns, a system still worked three minutes after the last answer.`;
  return `Measured on ${new Date().toISOString().slice(0, 10)} on ${availableParallelism()} cores, in ${rounds} rounds of ${attestations} attestations for each line. ${sizes}
A cell has the median of the rounds and, in parentheses, the lowest and the highest round. Other processes took
${percent(Math.min(...others))} to ${percent(Math.max(...others))} of the machine.

${table(['', 'per second', 'median, ms', '99th percentile, ms', 'processor, ms'], rows)}

- The files grew by ${bytes.join(' and by ')}.
- While nobody calls them, ${shares.join(' and ')}.${rest}`;
}
