import { inParallel } from '#shared/base/parallel.ts';
import type { BenchStack } from './bench-stack.ts';
import type { MeasuredRequest } from './measured.ts';
import type { BenchOrganization } from './organizations.ts';
import { type Recording, type Replay, replayOf } from './recorder.ts';
import { add, alternate, emptyStretch, keepBusy, median, type Span, type Stretch } from './timing.ts';

/** What a request uses in one organization, and how long it takes there. */
export interface Use {
  calls: number;
  /** The number of calls that run one after another. */
  trips: number;
  read: number;
  write: number;
  /** Calls of the bucket, which `calls` includes. */
  objectReads: number;
  objectWrites: number;
  /** Requests through the gateway with one client. */
  one: Stretch;
}

/** Requests to the functions without the gateway, compared with the same calls through plain clients of the SDK. */
export interface Comparison {
  functions: Stretch;
  bare: Stretch;
  /**
   * For each turn, the speed of the functions (1 = as fast as the bare calls) and their additional milliseconds of CPU.
   * Both are computed from medians, so that a pause of the machine has little influence. `cpu` is NaN with several
   * clients.
   */
  turns: { ratio: number; cpu: number }[];
}

/** Figures of one request. All figures except `small` are from the large organization. */
export interface Figures {
  request: MeasuredRequest;
  small: Use;
  large: Use;
  /** For each turn, the time and the CPU in the large organization divided by those in the small one, from medians. */
  growth: { time: number; cpu: number }[];
  /** Requests through the gateway with 16 clients. */
  http16: Stretch;
  /** With one client. */
  single: Comparison;
  /** With 16 clients. */
  sixteen: Comparison;
}

/** The organizations in which requests are measured. */
export interface Organizations {
  small: BenchOrganization;
  large: BenchOrganization;
}

/** What a request uses in both organizations, counted before anything is measured: then both hold the same data. */
export interface Counted {
  request: MeasuredRequest;
  small: Use;
  large: Use;
  /** The calls in the large organization, to be repeated with plain clients. */
  recordings: Recording[];
}

export interface Pace extends Span {
  /** The number of rounds; `millis` and `atLeast` apply to each stretch of a round. */
  rounds: number;
}

const CLIENTS = 16;
/** The number of recorded requests from which the replays are made. */
const SAMPLES = 6;
const SEED_BATCH = 100;
/** A span without an end: the stretch ends when there are no requests left. */
const ENDLESS: Span = { millis: Number.POSITIVE_INFINITY, atLeast: 0 };

const emptyComparison = (): Comparison => ({ functions: emptyStretch(), bare: emptyStretch(), turns: [] });

let number = 0;
const nextNumber = () => {
  number += 1;
  return number;
};

export async function count(
  stack: BenchStack,
  request: MeasuredRequest,
  { small, large }: Organizations,
): Promise<Counted> {
  const recordings: Recording[] = [];
  return {
    request,
    small: await countUse(stack, request, small, []),
    large: await countUse(stack, request, large, recordings),
    recordings,
  };
}

/**
 * Measures one request. The stretches alternate, so that other work of the machine affects all of them equally. Each
 * stretch of bare calls makes as many requests as the stretch of the functions before it.
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
    http16: emptyStretch(),
    single: emptyComparison(),
    sixteen: emptyComparison(),
  };
  const direct =
    ({ client, name, trails }: BenchOrganization) =>
    () => {
      const send = client.prepare(request.group, request.build(name, nextNumber(), trails), request.expected);
      return async () => void (await send());
    };
  const http =
    ({ client, name, trails }: BenchOrganization) =>
    () => {
      const sent = request.build(name, nextNumber(), trails);
      return async () => void (await client.http(sent, request.expected));
    };
  const compare = async (clients: number, { functions, bare, turns }: Comparison) => {
    const ours = await keepBusy(clients, span, direct(large));
    const replays = await prepareReplays(stack, recordings, ours.count);
    const plain = await keepBusy(clients, ENDLESS, () => replays.pop()?.run);
    turns.push({ ratio: median(plain.millis) / median(ours.millis), cpu: median(ours.cpu) - median(plain.cpu) });
    add(functions, ours);
    add(bare, plain);
  };
  // The budgets are those of a warm function (rules/storage.md#budgets), hence one stretch that is not counted.
  await keepBusy(CLIENTS, span, direct(large));
  for (let round = 0; round < rounds; round += 1) {
    await compare(1, figures.single);
    await compare(CLIENTS, figures.sixteen);
    const [inSmall, inLarge] = await alternate(span, [http(small), http(large)]);
    const growthOf = (of: 'millis' | 'cpu') => median(inLarge[of]) / median(inSmall[of]);
    figures.growth.push({ time: growthOf('millis'), cpu: growthOf('cpu') });
    add(figures.small.one, inSmall);
    add(figures.large.one, inLarge);
    add(figures.http16, await keepBusy(CLIENTS, span, http(large)));
  }
  return figures;
}

/** Counts what a request uses. The first request only fills the function's memories and is not counted. */
async function countUse(
  stack: BenchStack,
  request: MeasuredRequest,
  { client, name, trails }: BenchOrganization,
  recordings: Recording[],
): Promise<Use> {
  const send = () => client.direct(request.group, request.build(name, nextNumber(), trails), request.expected);
  await send();
  const log: { calls: number; trips: number; read: number; write: number }[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const recording = await stack.recorder.record(async () => void (await send()));
    recordings.push(recording);
    const { aws_calls: calls, aws_sequential: trips } = stack.lastEntry() as unknown as Record<string, number>;
    log.push({ calls: calls ?? 0, trips: trips ?? 0, read: recording.read, write: recording.write });
  }
  const medianOf = (field: keyof (typeof log)[number]) => median(log.map((entry) => entry[field]));
  const objectCalls = (name: string) =>
    median(
      recordings.slice(-SAMPLES).map(({ calls }) => calls.filter(({ command }) => command.startsWith(name)).length),
    );
  return {
    calls: medianOf('calls'),
    trips: medianOf('trips'),
    read: medianOf('read'),
    write: medianOf('write'),
    objectReads: objectCalls('GetObject'),
    objectWrites: objectCalls('PutObject'),
    one: emptyStretch(),
  };
}

let salts = 0;

async function prepareReplays(stack: BenchStack, recordings: readonly Recording[], count: number): Promise<Replay[]> {
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
