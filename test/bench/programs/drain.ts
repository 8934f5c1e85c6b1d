import { setTimeout as sleep } from 'node:timers/promises';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { startStack } from '#infra/local/stack.ts';
import type { Log } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { type Received, startReceiver } from '#test/support/receiver.ts';

/** `npm run bench:drain -- [events]`: measures how long events take from their writes to the targets of three actions. */

const ACTIONS = 3;
const TRAILS = 40;
const WRITERS = 16;
const KEY = 'key-of-the-bench';
/** The wait ends after no request has come for this long. */
const QUIET_MILLIS = 120_000;

const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

export interface DrainReport {
  events: number;
  /** Deliveries that have to arrive: one per event and action. */
  expected: number;
  /** Different deliveries that arrived. */
  delivered: number;
  /** Requests beyond the first one of each delivery. */
  repeated: number;
  writeSeconds: number;
  /** From the last write to the last request. */
  drainSeconds: number;
}

/** Writes events into a stack in memory, and waits until the targets of three actions have received them all. */
export async function drain(events: number): Promise<DrainReport> {
  const receiver = await startReceiver();
  const stack = await startStack({
    port: 0,
    seed: async (services) => {
      const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
      await applySeed(services, { organizations: [{ name: 'bench', members }] });
    },
    relay: (services) => (event) => relay(event, services),
    notifier: (services) => (event) => notify(event, services, { log: onlyErrors }),
    log: onlyErrors,
    allowedNetworks: ['127.0.0.0/8'],
  });
  try {
    const call = async (method: string, path: string, body: unknown) => {
      const response = await fetch(`${stack.url}/api/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    };
    for (let i = 1; i <= ACTIONS; i += 1) {
      const targets = [{ type: 'WEBHOOK', webhook: `${receiver.url}/hook-${i}` }];
      await call('PUT', '/actions/bench/flows', { name: `action-${i}`, targets, triggers: ['ON_ATTESTATION'] });
    }
    const started = performance.now();
    await inParallel(Array.from({ length: events }).keys(), WRITERS, (i) =>
      call('POST', `/attestations/bench/web/trail/t${i % TRAILS}/generic`, { attestation_name: `a${i}` }),
    );
    const written = performance.now();
    const expected = events * ACTIONS;
    const { delivered, lastAt } = await waitForDeliveries(receiver.requests, expected);
    return {
      events,
      expected,
      delivered,
      repeated: receiver.requests.length - delivered,
      writeSeconds: Math.round(written - started) / 1000,
      drainSeconds: Math.max(0, Math.round(lastAt - written) / 1000),
    };
  } finally {
    await stack.stop();
    await receiver.stop();
  }
}

/** Waits for the expected number of different deliveries. Each poll looks only at the new requests. */
async function waitForDeliveries(
  requests: readonly Received[],
  expected: number,
): Promise<{ delivered: number; lastAt: number }> {
  const ids = new Set<string>();
  let seen = 0;
  let lastAt = performance.now();
  while (ids.size < expected && performance.now() - lastAt < QUIET_MILLIS) {
    if (requests.length > seen) lastAt = performance.now();
    for (; seen < requests.length; seen += 1) ids.add(requests[seen]?.id ?? '');
    await sleep(50);
  }
  return { delivered: ids.size, lastAt };
}

if (import.meta.main) {
  const report = await drain(Number(process.argv[2] ?? 10_000));
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = report.delivered === report.expected ? 0 : 1;
}
