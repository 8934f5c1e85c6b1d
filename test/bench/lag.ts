import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { expandMessages } from '#functions/expander/expand-messages.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { startStack } from '#infra/local/stack.ts';
import type { Log } from '#shared/http/access-log.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { startReceiver } from '../support/receiver.ts';
import { probeList, probeMark } from './lag-probes.ts';
import { KEY, type LagApi, lagApi, ORG, prepareLag, writeOnce } from './lag-writers.ts';
import { loadNow } from './watch.ts';

/**
 * `npm run bench:lag -- [--rate N] [--seconds N] [--storm N]`: measures how long lists, marks and notifications are behind
 * the writes. First under a sustained load of N writes per second, then after a storm: 16 writers without pauses.
 */

const PROBES = 3;
const WRITERS = 8;
const STORM_WRITERS = 16;
/** Goals: a 99th percentile in milliseconds, and the time to catch up as a share of the storm's length. */
const GOAL_MILLIS = 2_000;
const GOAL_SHARE = 1;
/** The storm's effects are waited for at most this many times as long as the storm. */
const PATIENCE = 6;

const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

interface Lags {
  samples: number;
  p50Millis: number;
  p99Millis: number;
}

export interface LagReport {
  /** Load of the machine before the start. Above the number of cores the figures say nothing about the stack. */
  load: number;
  sustained: { writesPerSecond: number; seconds: number; lists: Lags; marks: Lags; notifications: Lags };
  storm: { writes: number; seconds: number; catchUpSeconds: number; missing: number };
}

/** When each notification was caused and received, by the name of the attestation. */
class Notifications {
  readonly #written = new Map<string, number>();
  readonly #lags: number[] = [];
  #lastAt = performance.now();

  written(name: string): void {
    this.#written.set(name, performance.now());
  }

  received(body: string): void {
    const name = (JSON.parse(body) as { attestation?: { name: string } }).attestation?.name ?? '';
    const at = this.#written.get(name);
    if (at === undefined) return;
    this.#written.delete(name);
    this.#lastAt = performance.now();
    this.#lags.push(this.#lastAt - at);
  }

  get missing(): number {
    return this.#written.size;
  }

  get lastAt(): number {
    return this.#lastAt;
  }

  takeLags(): number[] {
    return this.#lags.splice(0);
  }
}

const lagsOf = (lags: readonly number[]): Lags => {
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return { samples: sorted.length, p50Millis: at(0.5), p99Millis: at(0.99) };
};

async function measureLag(rate: number, seconds: number, stormSeconds: number): Promise<LagReport> {
  const load = loadNow();
  const notifications = new Notifications();
  const receiver = await startReceiver();
  receiver.answer = ({ body }) => {
    notifications.received(body);
    return { status: 200 };
  };
  const stack = await startStack({
    port: 0,
    seed: async (services) => {
      const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
      await applySeed(services, { organizations: [{ name: ORG, members }] });
    },
    relay: (services) => (event) => relay(event, services),
    expander: (services) => (event) => expandMessages(event, services),
    notifier: (services) => (event) => notify(event, services, { log: onlyErrors }),
    log: onlyErrors,
    allowedNetworks: ['127.0.0.0/8'],
  });
  try {
    const api = lagApi(stack);
    await prepareLag(api, receiver.url, STORM_WRITERS + 2 * PROBES);
    const sustained = await sustain(api, notifications, rate, seconds);
    return { load, sustained, storm: await storm(api, notifications, stormSeconds) };
  } finally {
    await stack.stop();
    await receiver.stop();
  }
}

async function sustain(
  api: LagApi,
  notifications: Notifications,
  rate: number,
  seconds: number,
): Promise<LagReport['sustained']> {
  const end = performance.now() + seconds * 1_000;
  const isRunning = () => performance.now() < end;
  const marks: number[] = [];
  const lists: number[] = [];
  let writes = 0;
  const writer = async (client: number) => {
    const everyMillis = (1_000 * WRITERS) / rate;
    let nextAt = performance.now() + (client / WRITERS) * everyMillis;
    for (let n = client; isRunning(); n += WRITERS) {
      await sleep(Math.max(0, nextAt - performance.now()));
      nextAt += everyMillis;
      await writeOnce(api, client, n, (name) => notifications.written(name));
      writes += 1;
    }
  };
  const probe = async (probeOnce: () => Promise<number>, lags: number[]) => {
    while (isRunning()) {
      lags.push(await probeOnce());
      await sleep(50);
    }
  };
  const started = performance.now();
  const clients = Array.from({ length: WRITERS }, (_, i) => writer(i));
  const probes = Array.from({ length: PROBES }, (_, i) => [
    probe(() => probeMark(api, STORM_WRITERS + i), marks),
    probe(() => probeList(api, STORM_WRITERS + PROBES + i), lists),
  ]);
  await Promise.all(clients);
  const writesPerSecond = Math.round((writes / (performance.now() - started)) * 1_000);
  await Promise.all(probes.flat());
  await untilAll(notifications, seconds * PATIENCE);
  const shown = { lists: lagsOf(lists), marks: lagsOf(marks), notifications: lagsOf(notifications.takeLags()) };
  return { writesPerSecond, seconds, ...shown };
}

async function storm(api: LagApi, notifications: Notifications, seconds: number): Promise<LagReport['storm']> {
  const end = performance.now() + seconds * 1_000;
  let writes = 0;
  const writer = async (client: number) => {
    for (let n = client; performance.now() < end; n += STORM_WRITERS) {
      await writeOnce(api, client, 1_000_000 + n, (name) => notifications.written(name));
      writes += 1;
    }
  };
  await Promise.all(Array.from({ length: STORM_WRITERS }, (_, i) => writer(i)));
  const over = performance.now();
  const probed = Promise.all([probeMark(api, STORM_WRITERS), probeList(api, STORM_WRITERS + PROBES)]);
  await untilAll(notifications, seconds * PATIENCE);
  await probed;
  const probedAt = over + Math.max(...(await probed));
  const catchUpMillis = Math.max(0, Math.max(notifications.lastAt, probedAt) - over);
  return { writes, seconds, catchUpSeconds: Math.round(catchUpMillis) / 1_000, missing: notifications.missing };
}

async function untilAll(notifications: Notifications, seconds: number): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  while (notifications.missing > 0 && performance.now() < deadline) await sleep(20);
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`);
  return number;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '40' },
      seconds: { type: 'string', default: '20' },
      storm: { type: 'string', default: '10' },
    },
  });
  const report = await measureLag(
    wholeNumber('rate', values.rate),
    wholeNumber('seconds', values.seconds),
    wholeNumber('storm', values.storm),
  );
  console.log(JSON.stringify(report, null, 2));
  const { lists, marks, notifications } = report.sustained;
  const isReached =
    [lists, marks, notifications].every(({ p99Millis }) => p99Millis < GOAL_MILLIS) &&
    report.storm.missing === 0 &&
    report.storm.catchUpSeconds <= report.storm.seconds * GOAL_SHARE;
  console.log(isReached ? 'The goals are reached.' : 'A goal is missed.');
  process.exitCode = isReached ? 0 : 1;
}
