import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { relay } from '#functions/relay/relay.ts';
import { startStack } from '#infra/local/stack.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { attestation, FLOW } from './facts.ts';
import { KEY, ORG } from './lag-writers.ts';
import { median, quantile } from './timing.ts';
import { loadNow } from './watch.ts';

/**
 * `npm run bench:receipts -- [--rate N]... [--seconds N]`: writes attestations to one organization of a local stack, N per
 * second, and measures how long after the answer of a write its receipt is answered with 200. Client and stack share one
 * process, so a machine may reach fewer writes than asked for; the report says how many.
 */

const TRAILS = 50;
const WRITERS = 32;
/** Receipts are asked for about this often per second. Asking for all of them would slow the writes down. */
const SAMPLES_PER_SECOND = 10;
const POLL_MILLIS = 50;
const PATIENCE_MILLIS = 120_000;
/** Goals in milliseconds. */
const GOAL_P50 = 3_000;
const GOAL_P99 = 10_000;

/** An answered write whose receipt was not answered yet. */
interface Waiting {
  receipt: string;
  answeredAt: number;
}

interface ReceiptReport {
  /** Load of the machine before the start. Above the number of cores the figures say nothing about the stack. */
  load: number;
  asked: number;
  writesPerSecond: number;
  samples: number;
  p50Millis: number;
  p99Millis: number;
  missing: number;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

async function measureReceipts(call: Call, rate: number, seconds: number): Promise<ReceiptReport> {
  const load = loadNow();
  const waiting: Waiting[] = [];
  const lags: number[] = [];
  let [writes, isWriting] = [0, true];
  const started = performance.now();
  const writer = async (client: number) => {
    for (let n = client; n < rate * seconds && performance.now() < started + seconds * 1_000; n += WRITERS) {
      await sleep(Math.max(0, started + (n / rate) * 1_000 - performance.now()));
      const path = `/attestations/${ORG}/${FLOW}/trail/trail-${n % TRAILS}/generic`;
      const answer = await call('POST', path, attestation(`check-${n}`, n));
      writes += 1;
      const receipt = /<([^>]*)>; rel="receipt"/.exec(answer.headers.get('link') ?? '')?.[1];
      if (receipt === undefined) throw new Error('A write was answered without the address of its receipt');
      if (n % Math.ceil(rate / SAMPLES_PER_SECOND) === 0) waiting.push({ receipt, answeredAt: performance.now() });
    }
  };
  /** Asks again after each new checkpoint, because no receipt can become ready without one. */
  const reader = async () => {
    let checkpoint = '';
    const end = started + seconds * 1_000 + PATIENCE_MILLIS;
    while ((isWriting || waiting.length > 0) && performance.now() < end) {
      const answer = await call('GET', `/log/${ORG}/checkpoint`);
      const text = await answer.text();
      if (answer.ok && text !== checkpoint) {
        const asked = waiting.splice(0);
        const answers = await Promise.all(asked.map(({ receipt }) => call('GET', new URL(receipt).pathname.slice(7))));
        const now = performance.now();
        for (const [i, one] of asked.entries()) {
          if (answers[i]?.status === 200) lags.push(now - one.answeredAt);
          else waiting.push(one);
        }
        checkpoint = text;
      }
      await sleep(POLL_MILLIS);
    }
  };
  const reading = reader();
  await Promise.all(Array.from({ length: WRITERS }, (_, client) => writer(client)));
  const writesPerSecond = Math.round((writes / (performance.now() - started)) * 1_000);
  isWriting = false;
  await reading;
  const [p50Millis, p99Millis] = [Math.round(median(lags)), Math.round(quantile(lags, 0.99))];
  const shown = { samples: lags.length, p50Millis, p99Millis, missing: waiting.length };
  return { load, asked: rate, writesPerSecond, ...shown };
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`);
  return number;
}

const { values } = parseArgs({
  options: {
    rate: { type: 'string', multiple: true, default: ['10', '100'] },
    seconds: { type: 'string', default: '20' },
  },
});
const stack = await startStack({
  port: 0,
  seed: async (services) => {
    const members = [{ user: 'bench', role: 'admin', api_key: KEY }];
    await applySeed(services, { organizations: [{ name: ORG, members }] });
  },
  relay: (services) => (event) => relay(event, services),
  integrator: (services) => (event) => integrateMessages(event, services),
  log: (entry) => entry.level === 'ERROR' && console.error(JSON.stringify(entry)),
});
try {
  const call: Call = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${stack.url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (method !== 'GET' && !answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  await call('PUT', `/flows/${ORG}`, { name: FLOW, template: ['artifact'] });
  for (let i = 0; i < TRAILS; i += 1) {
    const form = new FormData();
    form.append('data_json', JSON.stringify({ name: `trail-${i}` }));
    await call('PUT', `/trails/${ORG}/${FLOW}`, form);
  }
  for (const rate of values.rate) {
    const report = await measureReceipts(call, wholeNumber('rate', rate), wholeNumber('seconds', values.seconds));
    console.log(JSON.stringify(report));
    const isReached = report.p50Millis <= GOAL_P50 && report.p99Millis <= GOAL_P99 && report.missing === 0;
    console.log(isReached ? 'The goals are reached.' : 'A goal is missed.');
    if (!isReached) process.exitCode = 1;
  }
} finally {
  await stack.stop();
}
