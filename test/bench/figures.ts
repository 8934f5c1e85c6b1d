import { inParallel } from '#shared/base/parallel.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Measured } from './measured.ts';
import type { BenchOrganization } from './organizations.ts';
import { type Recording, type Replay, replayOf } from './recorder.ts';
import { add, busy, byTurns, median, noStretch, type Span, type Stretch } from './timing.ts';

/** What a request uses in one organization, and how fast it is there. */
export interface Use {
  calls: number;
  /** The longest chain of calls after one another. */
  trips: number;
  read: number;
  write: number;
  /** Calls of the bucket among them. */
  objectReads: number;
  objectWrites: number;
  /** Through the gateway, one client. */
  one: Stretch;
}

/** The functions alone and the same calls bare, in turns. */
export interface Beside {
  functions: Stretch;
  bare: Stretch;
  /**
   * Of each turn: how fast the functions were, 1 = as the bare calls, and how many milliseconds of CPU they took more;
   * both of medians, so that a pause of the machine counts for little. CPU is NaN with several clients.
   */
  turns: { ratio: number; cpu: number }[];
}

/** All but `small` in the large organization. */
export interface Figures {
  request: Measured;
  small: Use;
  large: Use;
  /** Of each turn: how many times as long it takes in the large organization, and as much CPU; both of medians. */
  growth: { time: number; cpu: number }[];
  /** Through the gateway, 16 clients. */
  http16: Stretch;
  /** With one client and with 16. */
  single: Beside;
  sixteen: Beside;
}

/** Where requests are measured. */
export interface Organizations {
  small: BenchOrganization;
  large: BenchOrganization;
}

/** What a request uses in both, counted before anything is measured: both hold the same then. */
export interface Counted {
  request: Measured;
  small: Use;
  large: Use;
  /** The calls of the large one, to be made again bare. */
  recordings: Recording[];
}

export interface Pace extends Span {
  /** How often each stretch is made; `millis` and `atLeast` are those of one. */
  rounds: number;
}

const CLIENTS = 16;
/** Recordings that replays are made from. */
const SAMPLES = 6;
const SEED_BATCH = 100;
/** Until the work is over. */
const ENDLESS: Span = { millis: Number.POSITIVE_INFINITY, atLeast: 0 };

const nothingBeside = (): Beside => ({ functions: noStretch(), bare: noStretch(), turns: [] });

let number = 0;
const nextNumber = () => {
  number += 1;
  return number;
};

export async function count(stack: BenchStack, request: Measured, { small, large }: Organizations): Promise<Counted> {
  const recordings: Recording[] = [];
  return {
    request,
    small: await useIn(stack, request, small, []),
    large: await useIn(stack, request, large, recordings),
    recordings,
  };
}

/**
 * Measures one request. The stretches alternate, so that what else goes on in the machine meets all of them alike, and
 * each bare stretch makes as many requests as the one of the functions before it.
 */
export async function figuresOf(
  stack: BenchStack,
  { request, recordings, ...uses }: Counted,
  { small, large }: Organizations,
  { rounds, ...span }: Pace,
): Promise<Figures> {
  const figures: Figures = {
    request,
    ...uses,
    growth: [],
    http16: noStretch(),
    single: nothingBeside(),
    sixteen: nothingBeside(),
  };
  const direct =
    ({ client, name, trails }: BenchOrganization) =>
    () => {
      const send = client.prepared(request.group, request.asked(name, nextNumber(), trails), request.expected);
      return async () => void (await send());
    };
  const http =
    ({ client, name, trails }: BenchOrganization) =>
    () => {
      const asked = request.asked(name, nextNumber(), trails);
      return async () => void (await client.http(asked, request.expected));
    };
  const turn = async (clients: number, { functions, bare, turns }: Beside) => {
    const one = await busy(clients, span, direct(large));
    const replays = await prepared(stack, recordings, one.count);
    const other = await busy(clients, ENDLESS, () => replays.pop()?.run);
    turns.push({ ratio: median(other.millis) / median(one.millis), cpu: median(one.cpu) - median(other.cpu) });
    add(functions, one);
    add(bare, other);
  };
  // The design's budgets are those of a warm function: what the engine compiles at first is in no figure.
  await busy(CLIENTS, span, direct(large));
  for (let round = 0; round < rounds; round += 1) {
    await turn(1, figures.single);
    await turn(CLIENTS, figures.sixteen);
    const [inSmall, inLarge] = await byTurns(span, [http(small), http(large)]);
    const grown = (of: 'millis' | 'cpu') => median(inLarge[of]) / median(inSmall[of]);
    figures.growth.push({ time: grown('millis'), cpu: grown('cpu') });
    add(figures.small.one, inSmall);
    add(figures.large.one, inLarge);
    add(figures.http16, await busy(CLIENTS, span, http(large)));
  }
  return figures;
}

/** The first request warms what is remembered; those after it are counted. */
async function useIn(
  stack: BenchStack,
  request: Measured,
  { client, name, trails }: BenchOrganization,
  recordings: Recording[],
): Promise<Use> {
  const send = () => client.direct(request.group, request.asked(name, nextNumber(), trails), request.expected);
  await send();
  const log: { calls: number; trips: number; read: number; write: number }[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const recording = await stack.recorder.record(async () => void (await send()));
    recordings.push(recording);
    const { aws_calls: calls, aws_sequential: trips } = stack.lastEntry() as unknown as Record<string, number>;
    log.push({ calls: calls ?? 0, trips: trips ?? 0, read: recording.read, write: recording.write });
  }
  const middle = (field: keyof (typeof log)[number]) => median(log.map((one) => one[field]));
  const objects = (name: string) =>
    median(
      recordings.slice(-SAMPLES).map(({ calls }) => calls.filter(({ command }) => command.startsWith(name)).length),
    );
  return {
    calls: middle('calls'),
    trips: middle('trips'),
    read: middle('read'),
    write: middle('write'),
    objectReads: objects('GetObject'),
    objectWrites: objects('PutObject'),
    one: noStretch(),
  };
}

let salts = 0;

async function prepared(stack: BenchStack, recordings: readonly Recording[], count: number): Promise<Replay[]> {
  const replays = Array.from({ length: count }, (_, i) => {
    salts += 1;
    const recording = recordings[i % recordings.length];
    if (!recording) throw new Error('Nothing was recorded');
    return replayOf(stack.bare, recording, `bare-${salts}#`);
  });
  const seeds = replays.flatMap((replay) => replay.seeds);
  const batches = Array.from({ length: Math.ceil(seeds.length / SEED_BATCH) }, (_, i) =>
    seeds.slice(i * SEED_BATCH, (i + 1) * SEED_BATCH),
  );
  await inParallel(batches, 4, (batch) => stack.services.table.putMany(batch));
  return replays;
}
