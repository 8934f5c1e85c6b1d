import { evaluateMessages } from '#functions/evaluator/work.ts';
import { expandMessages } from '#functions/expander/expand-messages.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweepSetAside } from '#functions/relay/sweeps/sweep-set-aside.ts';
import { askForVisits, visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { startStack } from '#infra/local/stack.ts';
import { sweepEvaluations } from '#shared/evaluations/sweep-evaluations.ts';
import { sweepDue } from '#shared/notifications/sweep-due.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { disturbedMessages, disturbedRecords } from './disturbed.ts';
import { faultSchedule } from './fault-schedule.ts';
import type { FromStack, ToStack } from './messages.ts';

/**
 * Entry of a process that runs the whole stack, with injected faults between the functions and the servers. The parent
 * redirects its output to a log file. The process ends when its parent ends.
 */

/** The soak is shorter than some intervals of the sweeps. */
const HURRY = 15;

const send = (message: FromStack) => process.send?.(message);
const started = Promise.withResolvers<Extract<ToStack, { kind: 'start' }>>();
const faults = faultSchedule(Date.now, Math.random);
const ended = Promise.withResolvers<void>();

process.on('message', (message: ToStack) => {
  if (message.kind === 'start') started.resolve(message);
  if (message.kind === 'stopFaults') {
    faults.stop();
    send({ kind: 'faultsStopped', counts: faults.counts });
  }
});
process.once('disconnect', () => ended.resolve());

const { seed, containers, limits, isCalm } = await started.promise;
if (isCalm) faults.stop();
const stack = await startStack({
  port: 0,
  // A message that a fault left unprocessed comes back soon, so that a short soak waits less at its end.
  visibilityMillis: 6_000,
  seed: async (services) => {
    await retry(() => applySeed(services, seed));
  },
  disturbance: { decide: faults.decide },
  limits,
  ...(containers !== undefined && { bundles: true, containers }),
  disturb: {
    records: (inner) => disturbedRecords(inner, faults),
    messages: (inner) => disturbedMessages(inner, faults),
  },
  relay: (services) => (event) => relay(event, services),
  notifier: (services) => (event) => notify(event, services),
  expander: (services) => (event) => expandMessages(event, services),
  evaluator: (services) => (event) => evaluateMessages(event, services),
  visitor: (services) => (event) => visitOrganizations(event, services),
  hurry: HURRY,
  // More often than in a region: the whole soak is shorter than some intervals there.
  schedules: [
    { everySeconds: 3, run: (services) => sweepDue(services) },
    { everySeconds: 5, run: (services) => sweepEvaluations(services) },
    { everySeconds: 10, run: (services) => sweepSetAside(services) },
    { everySeconds: 20, run: (services) => askForVisits(services) },
  ],
  allowedNetworks: ['127.0.0.0/8'],
});
send({ kind: 'ready', url: stack.url, endpoints: stack.endpoints });
await ended.promise;
await stack.stop();

/** Retries the seed, whose writes meet the faults, too. Applying a seed twice changes nothing. */
async function retry(work: () => Promise<unknown>): Promise<void> {
  const TRIES = 20;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      console.log(`Applying the seed failed and is retried: ${String(error)}`);
    }
  }
}
