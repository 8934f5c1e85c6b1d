import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '#shared/base/parallel.ts';
import { quantile } from '../timing.ts';
import type { Receipts, Webhooks } from './awaited.ts';
import { attest, isAttestation, nameOf, placeOf, trailOf, type WholeClient, WRITERS, writeOnce } from './client.ts';
import { probeEvents, probeMark, untilListed } from './probes.ts';

/** How long effects take, in milliseconds. */
export interface Lags {
  samples: number;
  p50: number;
  p99: number;
}

/** From the answer of a write to its effects, while writes go on. */
export interface Sustained {
  asked: number;
  writesPerSecond: number;
  list: Lags;
  events: Lags;
  mark: Lags;
  webhook: Lags;
  receipt: Lags;
  missing: number;
}

/** After many writes at once: seconds from the answer of the last write to the last effect. */
export interface Storm {
  writes: number;
  /** From the first write to the answer of the last one. */
  seconds: number;
  list: number;
  events: number;
  mark: number;
  webhook: number;
  receipt: number;
  missing: number;
}

/** The client, and what awaits effects. */
export interface Setting {
  client: WholeClient;
  webhooks: Webhooks;
  receipts: Receipts;
}

const PROBES = 3;
export const ENVIRONMENTS = WRITERS + 2 * PROBES;
/** Of so many attestations per second the receipt and the place in the list are asked for. */
const SAMPLES_PER_SECOND = 10;
const STORM_WIDTH = 64;
const STORM_SAMPLES = 100;
const PATIENCE_SECONDS = 60;

const lagsOf = (lags: readonly number[]): Lags => ({
  samples: lags.length,
  p50: Math.round(quantile(lags, 0.5)),
  p99: Math.round(quantile(lags, 0.99)),
});

let written = 0;
const nextNumber = () => {
  written += 1;
  return written;
};

/** Chooses every so many attestations. */
function sampler(every: number): () => boolean {
  let attestations = 0;
  return () => {
    attestations += 1;
    return attestations % every === 0;
  };
}

/** Makes a write. @returns its number if it is a chosen attestation */
async function write({ client, webhooks, receipts }: Setting, isSample: () => boolean): Promise<number | undefined> {
  const n = nextNumber();
  // A webhook can come before the answer of the write.
  if (isAttestation(n)) webhooks.expect(nameOf(n));
  const answer = await writeOnce(client, n);
  webhooks.startAgain(nameOf(n));
  if (!isAttestation(n) || !isSample()) return undefined;
  receipts.expectOf(answer);
  return n;
}

/** Writes at a rate for some seconds and measures how long the effects take. */
export async function sustain(setting: Setting, rate: number, seconds: number): Promise<Sustained> {
  const { client, webhooks, receipts } = setting;
  const isSample = sampler(Math.max(1, Math.round(rate / SAMPLES_PER_SECOND)));
  const [list, events, mark]: [number[], number[], number[]] = [[], [], []];
  const started = performance.now();
  const isOver = () => performance.now() >= started + seconds * 1_000;
  let writes = 0;
  const writer = async (place: number) => {
    for (let turn = place; !isOver(); turn += WRITERS) {
      await sleep(Math.max(0, started + (turn / rate) * 1_000 - performance.now()));
      if (isOver()) return;
      const sample = await write(setting, isSample);
      writes += 1;
      if (sample !== undefined) list.push(await untilListed(client, trailOf(placeOf(sample)), nameOf(sample)));
    }
  };
  const probe = async (lags: number[], probeOnce: () => Promise<number>) => {
    while (!isOver()) {
      lags.push(await probeOnce());
      await sleep(50);
    }
  };
  let isRead = false;
  const reading = receipts.poll(client, () => isRead);
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, place) => writer(place)));
  const probing = Array.from({ length: PROBES }, (_, i) => [
    probe(mark, () => probeMark(client, WRITERS + i)),
    probe(events, () => probeEvents(client, WRITERS + PROBES + i)),
  ]);
  await writing;
  const writesPerSecond = Math.round((writes / (performance.now() - started)) * 1_000);
  await Promise.all(probing.flat());
  const missing = (await webhooks.untilNone(PATIENCE_SECONDS)) + (await receipts.untilNone(PATIENCE_SECONDS));
  isRead = true;
  await reading;
  return {
    asked: rate,
    writesPerSecond,
    list: lagsOf(list),
    events: lagsOf(events),
    mark: lagsOf(mark),
    webhook: lagsOf(webhooks.takeLags()),
    receipt: lagsOf(receipts.takeLags()),
    missing,
  };
}

/** Makes many writes as fast as the stack answers, and waits for the last effect of each kind. */
export async function storm(setting: Setting, writes: number): Promise<Storm> {
  const { client, webhooks, receipts } = setting;
  const isSample = sampler(Math.max(1, Math.round(writes / STORM_SAMPLES)));
  const started = performance.now();
  await inParallel(Array.from({ length: writes }).keys(), STORM_WIDTH, async () => {
    await write(setting, isSample);
  });
  const over = performance.now();
  let isRead = false;
  const reading = receipts.poll(client, () => isRead);
  // These three writes come after the storm, and the relay applies their effects after those of the storm.
  const name = nameOf(-1);
  const last = async () => {
    receipts.expectOf(await attest(client, 0, name, 0));
    return untilListed(client, trailOf(0), name);
  };
  const [list, mark, events] = await Promise.all([
    last(),
    probeMark(client, WRITERS),
    probeEvents(client, WRITERS + PROBES),
  ]);
  const missing = (await webhooks.untilNone(PATIENCE_SECONDS)) + (await receipts.untilNone(PATIENCE_SECONDS));
  isRead = true;
  await reading;
  webhooks.takeLags();
  receipts.takeLags();
  const after = (at: number) => Math.max(0, at - over) / 1_000;
  return {
    writes,
    seconds: (over - started) / 1_000,
    list: list / 1_000,
    events: events / 1_000,
    mark: mark / 1_000,
    webhook: after(webhooks.lastAt),
    receipt: after(receipts.lastAt),
    missing,
  };
}
