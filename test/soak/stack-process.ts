import { evaluateMessages } from '#functions/evaluator/work.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweep } from '#functions/relay/sweep.ts';
import { sweepDue } from '#functions/relay/sweep-due.ts';
import { sweepEvaluations } from '#functions/relay/sweep-evaluations.ts';
import { sweepEvents } from '#functions/relay/sweep-events.ts';
import { sweepSnapshots } from '#functions/relay/sweep-snapshots.ts';
import { startStack } from '#infra/local/stack.ts';
import { relayLog } from '#shared/http/relay-log.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { disturbedMessages, disturbedRecords } from './disturbed.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { FromStack, ToStack } from './messages.ts';
import { weather } from './weather.ts';

/**
 * The whole stack in a process of its own, with faults between the functions and the servers. Everything that it says
 * goes to the log that its parent gave it; it ends with its parent.
 */

const tell = (message: FromStack) => process.send?.(message);
const received = Promise.withResolvers<Extract<ToStack, { kind: 'start' }>>();
const faults = weather(Date.now, Math.random);
const ended = Promise.withResolvers<void>();

process.on('message', (message: ToStack) => {
  if (message.kind === 'start') received.resolve(message);
  if (message.kind === 'clear') {
    faults.clear();
    tell({ kind: 'cleared', counts: faults.counts });
  }
});
process.once('disconnect', () => ended.resolve());

const { seed } = await received.promise;
const proxies: { stop(): Promise<void> }[] = [];
const through = async (service: 'dynamodb' | 's3' | 'sqs', target: string) => {
  const proxy = await startFaultProxy(service, target, (operation) => faults.decide(service, operation));
  proxies.push(proxy);
  return proxy.endpoint;
};
const stack = await startStack({
  port: 0,
  seed: async (services) => {
    await retried(() => applySeed(services, seed));
  },
  interceptEndpoints: async ({ dynamodb, s3, sqs }) => ({
    dynamodb: await through('dynamodb', dynamodb),
    s3: await through('s3', s3),
    sqs: await through('sqs', sqs),
  }),
  relay: (services) => disturbedRecords((event) => relay(event, services), faults),
  notifier: (services) => disturbedMessages((event) => notify(event, services), faults),
  evaluator: (services) => disturbedMessages((event) => evaluateMessages(event, services), faults),
  // More often than in a region, since the whole soak is shorter than some of its schedules.
  schedules: [
    { everySeconds: 10, run: (services) => sweep(services) },
    { everySeconds: 3, run: (services) => sweepDue(services) },
    { everySeconds: 5, run: (services) => sweepEvaluations(services) },
    { everySeconds: 20, run: (services) => sweepEvents(services, { log: relayLog('sweep') }) },
    { everySeconds: 20, run: (services) => sweepSnapshots(services) },
  ],
  allowedNetworks: ['127.0.0.0/8'],
});
tell({ kind: 'ready', url: stack.url, endpoints: stack.endpoints });
await ended.promise;
await stack.stop();
for (const proxy of proxies) await proxy.stop();

/** The seed is written through the faults, too; writing it again changes nothing. */
async function retried(work: () => Promise<unknown>): Promise<void> {
  const TRIES = 20;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      console.log(`The seed is written again: ${String(error)}`);
    }
  }
}
