import { availableParallelism } from 'node:os';
import { table } from '../markdown.ts';
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
  seconds: number;
  progress(text: string): void;
}

/** The figures of one system with some clients in one round. */
interface Turn {
  system: string;
  clients: number;
  perSecond: number;
  medianMillis: number;
  p99Millis: number;
  /** Processor time of the system for each attestation, until it has settled. */
  cpuMillis: number;
  bytes: number;
  /** Processor time of all other processes during the turn, as a share of the machine. */
  others: number;
  settled: boolean;
}

const CLIENTS = [1, 16];
/** A client begins a new series after this number of attestations. */
const SERIES = 100;
const WARM_UP_SECONDS = 10;

/** Measures both systems in rounds. Each system is measured while the other one has nothing to do. */
export async function compare(systems: readonly Running[], { rounds, seconds, progress }: Plan): Promise<string> {
  const run = Date.now().toString(36);
  const idle = new Map<string, number>();
  for (const { system, processes } of systems) idle.set(system.name, await idleShare(processes));
  const turnOf = async (running: Running, round: string, clients: number, length: number): Promise<Turn> => {
    const { system, processes, data } = running;
    const [busy, own, cpu, bytes] = [busyMillis(), process.cpuUsage(), cpuMillis(processes), bytesOf(data)];
    const began = performance.now();
    const { millis, elapsed } = await write(system, `${run}-${round}-${clients}`, clients, length * 1_000);
    const isSettled = await settled(processes, idle.get(system.name) ?? 0);
    const { user, system: kernel } = process.cpuUsage(own);
    const used = cpuMillis(processes) - cpu;
    const machine = (performance.now() - began) * availableParallelism();
    return {
      system: system.name,
      clients,
      perSecond: (millis.length / elapsed) * 1_000,
      medianMillis: median(millis),
      p99Millis: quantile(millis, 0.99),
      cpuMillis: used / millis.length,
      bytes: (bytesOf(data) - bytes) / millis.length,
      others: (busyMillis() - busy - used - (user + kernel) / 1_000) / machine,
      settled: isSettled,
    };
  };
  for (const running of systems) {
    progress(`${running.system.name}: warm-up`);
    await turnOf(running, 'warm-up', 16, WARM_UP_SECONDS);
  }
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The system that comes first changes.
    for (const clients of CLIENTS) {
      for (const running of round % 2 === 0 ? systems : systems.toReversed()) {
        const turn = await turnOf(running, `${round}`, clients, seconds);
        turns.push(turn);
        progress(`round ${round + 1} of ${rounds}, ${line(turn)}`);
      }
    }
  }
  return sectionOf(turns, { rounds, seconds, idle });
}

/** Lets clients write attestations for some time, each client one after another. */
async function write(
  system: System,
  name: string,
  clients: number,
  length: number,
): Promise<{ millis: number[]; elapsed: number }> {
  const millis: number[] = [];
  const began = performance.now();
  const client = async (at: number) => {
    for (let n = 0; performance.now() - began < length; n += 1) {
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

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;

function line(turn: Turn): string {
  const { system, clients, perSecond, medianMillis, p99Millis, cpuMillis, bytes, others } = turn;
  return [
    `${system}, ${clients} client(s): ${perSecond.toFixed(0)}/s`,
    `median ${medianMillis.toFixed(1)} ms`,
    `p99 ${p99Millis.toFixed(1)} ms`,
    `processor ${cpuMillis.toFixed(1)} ms`,
    `${bytes.toFixed(0)} bytes`,
    `other work ${percent(others)}`,
    ...(turn.settled ? [] : ['not settled']),
  ].join(', ');
}

/** The figures of the page, as Markdown. */
function sectionOf(
  turns: readonly Turn[],
  { rounds, seconds, idle }: { rounds: number; seconds: number; idle: ReadonlyMap<string, number> },
): string {
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
    spread(group, ({ bytes }) => bytes / 1_024, 1),
  ]);
  const others = turns.map((turn) => turn.others);
  const { statement, envelope } = attestationOf('size');
  const unsettled = turns.filter((turn) => !turn.settled).length;
  return `Measured on ${new Date().toISOString().slice(0, 10)} on ${availableParallelism()} cores, in ${rounds} rounds of ${seconds} seconds for each line. A
cell has the median of the rounds and, in parentheses, the lowest and the highest round. A statement has ${statement.length} bytes, its
envelope ${JSON.stringify(envelope).length}. Other processes took ${percent(Math.min(...others))} to ${percent(Math.max(...others))} of the machine. Idle, ${[
    ...idle,
  ]
    .map(([system, share]) => `${system} takes ${percent(share)} of a core`)
    .join(
      ' and ',
    )}.${unsettled === 0 ? '' : `\nIn ${unsettled} of ${turns.length} turns, a system still worked three minutes after the last answer.`}

${table(['', 'per second', 'median, ms', '99th percentile, ms', 'processor, ms', 'on disk, KB'], rows)}`;
}
