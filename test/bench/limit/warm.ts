import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Recording } from '#test/support/table/recorder.ts';
import type { BenchStack } from '../bench-stack.ts';
import { eventOf } from '../client.ts';
import type { BenchOrganization } from '../organizations/organizations.ts';
import type { HandlerProcess } from '../processes/handler-process.ts';
import type { Done } from '../processes/handler-runner.ts';
import type { MeasuredRequest } from '../requests/measured.ts';
import { spreadOf } from '../spread.ts';
import { median } from '../timing.ts';
import type { Compared, Pace, WarmResult } from './results.ts';
import { bareEventOf, seedsOf } from './salt.ts';

/** Compares a function that has already served requests with bare calls, in turns. */

/** The function and both kinds of bare calls, each in a process of its own. */
export interface Contestants {
  functions: HandlerProcess;
  tuned: HandlerProcess;
  standard: HandlerProcess;
}
type Contestant = keyof Contestants;
const ALL: readonly Contestant[] = ['functions', 'tuned', 'standard'];

export interface Length {
  rounds: number;
  /** About how long each stretch of a round lasts. */
  millis: number;
  /** Requests to each process before the first round, for each kind of request. */
  warmUp: number;
}

const CLIENTS = 16;
/** How many requests are recorded. Bare calls repeat them in turn. */
const SAMPLES = 6;
const FEWEST = 4;
const SEEDERS = 4;
const SEED_BATCH = 100;

export class WarmComparison {
  readonly #stack: BenchStack;
  readonly #organization: BenchOrganization;
  #number = 0;
  #salt = 0;

  constructor(stack: BenchStack, organization: BenchOrganization) {
    this.#stack = stack;
    this.#organization = organization;
  }

  async measure(
    request: MeasuredRequest,
    contestants: Contestants,
    { rounds, millis, warmUp }: Length,
  ): Promise<WarmResult> {
    const recordings = await this.#record(request);
    const run = async (who: Contestant, count: number, clients: number) => {
      const events = who === 'functions' ? this.#events(request, count) : await this.#bareEvents(recordings, count);
      return checked(request, who, await contestants[who].run({ events, clients }));
    };
    const runAll = async (count: number, clients: number) => {
      const done = await run('functions', count, clients);
      for (const who of ['tuned', 'standard'] as const) await run(who, count, clients);
      return done;
    };
    const compare = async (clients: number, count: number) => {
      const done: Record<Contestant, Done[]> = { functions: [], tuned: [], standard: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who comes first changes, so that nobody always has the processor at its coolest.
        const order = ALL.map((_, i) => ALL[(i + round) % ALL.length] ?? 'functions');
        for (const who of order) done[who].push(await run(who, count, clients));
      }
      return comparedOf(done);
    };
    // All processes answer the same number of requests before the first round, and in each stretch.
    const many = countOf(await runAll(warmUp, CLIENTS), millis);
    const few = countOf(await runAll(CLIENTS, 1), millis);
    return {
      request: request.name,
      kind: request.kind,
      calls: median(recordings.map(({ calls }) => calls.length)),
      readUnits: median(recordings.map(({ read }) => read)),
      writeUnits: median(recordings.map(({ write }) => write)),
      one: await compare(1, few),
      sixteen: await compare(CLIENTS, many),
    };
  }

  #build({ build }: MeasuredRequest) {
    this.#number += 1;
    return build(this.#organization.name, this.#number, this.#organization.trails);
  }

  #events(request: MeasuredRequest, count: number): unknown[] {
    return Array.from({ length: count }, () => eventOf(this.#build(request), this.#organization.client.key));
  }

  /** Records the calls of warm requests. The first request only fills the memories of the function. */
  async #record(request: MeasuredRequest): Promise<Recording[]> {
    const { client } = this.#organization;
    const send = async () => void (await client.direct(request.group, this.#build(request), request.expected));
    await send();
    const recordings: Recording[] = [];
    for (let i = 0; i < SAMPLES; i += 1) recordings.push(await this.#stack.recorder.record(send));
    return recordings;
  }

  /** Makes bare calls and stores the items that their conditions need. */
  async #bareEvents(recordings: readonly Recording[], count: number): Promise<unknown[]> {
    const chosen = Array.from({ length: count }, (_, i) => {
      const recording = recordings[i % recordings.length];
      if (!recording) throw new Error('Nothing was recorded');
      this.#salt += 1;
      return { recording, salt: `bare-${this.#salt}#` };
    });
    const seeds = chosen.flatMap(({ recording, salt }) => seedsOf(recording.calls, salt));
    const { table } = this.#stack.services;
    await inParallel(batchesOf(seeds, SEED_BATCH), SEEDERS, (batch) => table.putMany(batch));
    return chosen.map(({ recording, salt }) => bareEventOf(recording, salt));
  }
}

const countOf = ({ millis, seconds }: Done, within: number): number =>
  Math.max(FEWEST, Math.round((millis.length / seconds / 1_000) * within));

function checked({ name, expected }: MeasuredRequest, who: Contestant, done: Done): Done {
  const status = who === 'functions' ? expected : 200;
  if (done.statuses[status] !== done.millis.length) throw new Error(`${name}, ${who}: ${done.refusal}`);
  return done;
}

const rateOf = ({ millis, seconds }: Done): number => millis.length / seconds;
const cpuOf = ({ millis, cpu }: Done): number => cpu / millis.length;
const paceOf = (rounds: readonly Done[]): Pace => ({
  rate: spreadOf(rounds.map(rateOf)),
  cpu: spreadOf(rounds.map(cpuOf)),
});

/** Compares round by round, because other work of the machine affects the stretches of one round alike. */
export function comparedOf({ functions, tuned, standard }: Record<Contestant, Done[]>): Compared {
  const each = (others: readonly Done[], compare: (own: Done, other: Done) => number) =>
    spreadOf(functions.flatMap((own, i) => (others[i] ? [compare(own, others[i])] : [])));
  const ratio = (own: Done, other: Done) => rateOf(own) / rateOf(other);
  return {
    functions: paceOf(functions),
    tuned: paceOf(tuned),
    standard: paceOf(standard),
    ratio: each(tuned, ratio),
    standardRatio: each(standard, ratio),
    overhead: each(tuned, (own, other) => cpuOf(own) - cpuOf(other)),
  };
}
