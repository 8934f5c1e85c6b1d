import { startReceiver } from '../../support/receiver.ts';
import { table } from '../page/markdown.ts';
import type { Part } from '../part.ts';
import { Receipts, Webhooks } from './awaited.ts';
import { prepare, SEED, wholeClient } from './client.ts';
import { ENVIRONMENTS, type Lags, type Storm, type Sustained, storm, sustain } from './load.ts';
import { startWholeStack } from './stack.ts';

/** How long it takes from an accepted write to everything that follows from it. */

export interface WholeWay {
  sustained: Sustained[];
  storm: Storm;
}

const RATES = [10, 100];
const SECONDS = 25;
const WRITES = 2_000;

/** Goals in milliseconds, for the 99th percentile and for the median. */
const GOALS = {
  list: { p50: 1_000, p99: 2_000 },
  events: { p50: 1_000, p99: 2_000 },
  mark: { p50: 1_000, p99: 2_000 },
  webhook: { p50: 1_000, p99: 2_000 },
  receipt: { p50: 3_000, p99: 10_000 },
} as const;
type Effect = keyof typeof GOALS;

const EFFECTS: readonly (readonly [Effect, string])[] = [
  ['list', 'in the list of attestations of its trail'],
  ['events', 'in the events of its environment'],
  ['mark', 'environment marked'],
  ['webhook', 'webhook at its target'],
  ['receipt', 'receipt ready'],
];
/** The share of the asked writes per second that has to be reached. */
const REACHED = 0.95;

export const wholeWayPart: Part<WholeWay> = {
  name: 'whole-way',
  async measure({ quick, progress }) {
    const webhooks = new Webhooks();
    const receiver = await startReceiver();
    receiver.answer = ({ body }) => {
      webhooks.receive(body);
      return { status: 200 };
    };
    const stack = await startWholeStack(SEED);
    try {
      const client = await wholeClient(stack);
      await prepare(client, receiver.url, ENVIRONMENTS);
      const setting = { client, webhooks, receipts: new Receipts() };
      // The first seconds of a process are slow, and are not measured.
      await sustain(setting, 20, quick ? 2 : 5);
      const sustained: Sustained[] = [];
      for (const rate of RATES) {
        progress(`whole way, ${rate} writes per second`);
        sustained.push(await sustain(setting, rate, quick ? 5 : SECONDS));
      }
      progress('whole way, storm');
      return { sustained, storm: await storm(setting, quick ? WRITES / 10 : WRITES) };
    } finally {
      await stack.stop();
      await receiver.stop();
    }
  },
  section: ({ sustained, storm }) => `## The whole way

From the answer of an accepted write to everything that follows from it. The local stack runs as \`npm start\` runs it, with its queues
and workers, in a process of its own; the database has another one, and one client process writes, asks and receives the webhooks.
Of 20 writes, 15 are attestations, two begin trails, two report artifacts and one reports a change of an environment. Times are in
milliseconds. A region has more than one machine, and slower calls.

${table(
  [
    'Until',
    ...sustained.flatMap(({ asked }) => [`${asked} per second: median`, `${asked} per second: 99th percentile`]),
    'goal',
  ],
  EFFECTS.map(([effect, label]) => [
    label,
    ...sustained.flatMap((one) => [one[effect].p50, one[effect].p99]),
    `${GOALS[effect].p50} and ${GOALS[effect].p99}`,
  ]),
)}

${sustained.map(({ asked, writesPerSecond }) => `Of ${asked} writes per second, ${writesPerSecond} were reached.`).join(' ')} ${samplesOf(sustained)}
The list is asked by the same client, so its row contains the time of one request. Every webhook was awaited.

A storm of ${storm.writes.toLocaleString('en')} writes with 64 connections took ${storm.seconds.toFixed(1)} seconds (${Math.round(storm.writes / storm.seconds)} per second). Seconds from the answer
of the last write until everything was done, at most as long as the storm itself:

${table(
  ['Until', 'seconds'],
  EFFECTS.map(([effect, label]) => [label, storm[effect].toFixed(1)]),
)}

\`npm run bench:whole-way\` measures this part alone, in about two minutes.`,
  missed: ({ sustained, storm }) => [...sustained.flatMap(missedOf), ...missedOfStorm(storm)],
};

const samplesOf = (sustained: readonly Sustained[]): string =>
  sustained
    .map(({ asked, ...lags }) => {
      const counts = EFFECTS.map(([effect]) => lags[effect].samples);
      return `At ${asked} per second the rows have ${counts.join(', ')} samples.`;
    })
    .join(' ');

function missedOf(one: Sustained): string[] {
  const { asked, writesPerSecond, missing } = one;
  const slow = EFFECTS.flatMap(([effect, label]) => {
    const { p50, p99 }: Lags = one[effect];
    const goal = GOALS[effect];
    const isReached = p50 <= goal.p50 && p99 <= goal.p99;
    return isReached
      ? []
      : [`${label} at ${asked} writes per second: ${p50} and ${p99} ms, goal ${goal.p50} and ${goal.p99}`];
  });
  return [
    ...(writesPerSecond < REACHED * asked ? [`${writesPerSecond} of ${asked} writes per second were reached`] : []),
    ...slow,
    ...(missing > 0 ? [`${missing} effects did not come at ${asked} writes per second`] : []),
  ];
}

function missedOfStorm(storm: Storm): string[] {
  const late = EFFECTS.filter(([effect]) => storm[effect] > storm.seconds);
  return [
    ...late.map(
      ([effect, label]) => `${label} ${storm[effect].toFixed(1)} s after a storm of ${storm.seconds.toFixed(1)} s`,
    ),
    ...(storm.missing > 0 ? [`${storm.missing} effects did not come after the storm`] : []),
  ];
}
