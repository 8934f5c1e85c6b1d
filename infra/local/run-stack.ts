import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { evaluateMessages } from '#functions/evaluator/work.ts';
import { expandMessages } from '#functions/expander/expand-messages.ts';
import { exportMessages } from '#functions/exporter/work.ts';
import { integrateMessages } from '#functions/integrator/integrate-messages.ts';
import { sweepAllLogs } from '#functions/integrator/sweep-logs.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweepDueWork } from '#functions/relay/sweeps/sweep-due-work.ts';
import { askForVisits, visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import type { MadeKey } from '#shared/organizations/seed.ts';
import { bannerText } from './banner.ts';
import { DemoData } from './demo/demo-data.ts';
import type { Options } from './options.ts';
import { loadSeed, readSeedFile, seedDemo } from './seeding.ts';
import { SignInToken } from './sign-in-token.ts';
import { type Stack, startStack } from './stack.ts';
import type { LocalSchedule } from './stack-options.ts';
import { checkedLogs, readPolicy } from './witness-options.ts';

/** Stopping takes about three seconds. After this time, in milliseconds, the process exits in any case. */
const STOP_MILLIS = 4_500;

/** The networks that `--allow-local-targets` allows for targets of notifications and for issuers of tokens. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The sweeps, as often as the schedules of a region run them (rules/storage.md#sweeps). */
const SCHEDULES: readonly LocalSchedule[] = [
  { everySeconds: 60, run: (services) => sweepDueWork(services) },
  { everySeconds: 300, run: (services) => askForVisits(services) },
  { everySeconds: 300, run: (services) => sweepAllLogs(services) },
];

/**
 * Starts the stack, prints its addresses, and stops it if the end is asked for or if a part of it ends.
 *
 * @param endAsked resolves when the process shall end
 * @returns the exit code of the process
 * @throws StartError if something prevents the start
 */
export async function runStack(options: Options, endAsked: Promise<unknown>): Promise<number> {
  const running = await Promise.race([endAsked.then(() => undefined), start(options)]);
  // The end was asked for during the start: the process exits, and the watcher script then ends the database.
  if (!running) return 0;
  const { stack, text, demo, isNew } = running;
  process.stdout.write(text);
  if (options.demo) void demo.start(stack, isNew);
  const fault = await Promise.race([endAsked.then(() => undefined), untilFault(stack)]);
  if (fault === undefined) console.log('Stopping.');
  else console.error(fault);
  await Promise.race([demo.stop().then(() => stack.stop()), sleep(STOP_MILLIS)]);
  return fault === undefined ? 0 : 1;
}

interface Running {
  stack: Stack;
  text: string;
  demo: DemoData;
  /** Whether this start made the demo organization. */
  isNew: boolean;
}

async function start(options: Options): Promise<Running> {
  const { seedFile, allowLocalTargets, witnessPolicyFile, witnessedLogs, demo: _, help: __, ...settings } = options;
  const witness = { policy: readPolicy(witnessPolicyFile), logs: checkedLogs(witnessedLogs) };
  const seed = seedFile === undefined ? undefined : readSeedFile(seedFile);
  let keys: MadeKey[] = [];
  const signInToken = new SignInToken();
  const dataDir = settings.dataDir === undefined ? undefined : resolve(settings.dataDir);
  const demo = new DemoData(dataDir, console.log);
  const stack = await startStack({
    ...settings,
    seed: async (services) => {
      keys = seed && seedFile !== undefined ? await loadSeed(services, seedFile, seed) : await seedDemo(services);
    },
    relay: (services) => demo.held((event) => relay(event, services)),
    notifier: (services) => (event) => notify(event, services),
    expander: (services) => (event) => expandMessages(event, services),
    evaluator: (services) => (event) => evaluateMessages(event, services),
    exporter: (services) => (event) => exportMessages(event, services),
    integrator: (services) => (event) => integrateMessages(event, services),
    visitor: (services) => (event) => visitOrganizations(event, services),
    schedules: SCHEDULES,
    witness,
    signInToken,
    allowedNetworks: allowLocalTargets ? LOOPBACK : [],
  });
  const [demoKey] = seedFile === undefined ? keys : [];
  const signIn = demoKey && `${stack.url}/-/sign-in#once=${signInToken.offer(demoKey.key)}`;
  const text = bannerText(stack, { dataDir, keys, isDemo: seedFile === undefined, signIn });
  return { stack, text, demo, isNew: demoKey !== undefined };
}

/** Returns a sentence about the part of the stack that ended. */
const untilFault = (stack: Stack): Promise<string> =>
  stack.ended.then(
    () => 'The local stack ended.',
    (error: Error) => error.message,
  );
