import { startBenchStack } from '../bench-stack.ts';
import { functionMemory } from '../bill/deployed.ts';
import { withoutStorage } from '../bill/month.ts';
import { makeBillOrganization } from '../bill/organization.ts';
import { ASSUMED } from '../bill/usage-of.ts';
import { table } from '../page/markdown.ts';
import type { Part } from '../part.ts';
import { dollars, dollarsByService, PRICES, type Resource } from '../prices.ts';
import { type Arrival, type LogUse, logUses, POLLERS } from './log-cost.ts';

/** What the log costs for each accepted write, by how often writes come. */

interface Pace extends Arrival {
  /** What the log may cost for a million writes, in dollars. */
  goal: number;
}

const PACES: readonly Pace[] = [
  { name: '10 per second', everyMillis: 100, counted: 512, goal: 4 },
  { name: 'one every 5 seconds', everyMillis: 5_000, counted: 256, goal: 25 },
  { name: 'one every 2 minutes', everyMillis: 120_000, counted: 256, goal: 25 },
];

export const logPart: Part<LogUse[]> = {
  name: 'log',
  isCounted: true,
  async measure({ quick, progress }) {
    const stack = await startBenchStack();
    try {
      const organization = await makeBillOrganization(stack, 'logged');
      const paces = quick ? PACES.slice(0, 1) : PACES;
      const uses = await logUses(stack, organization, paces, functionMemory()('integrator'), progress);
      organization.client.close();
      return uses;
    } finally {
      await stack.stop();
    }
  },
  section: logSection,
  missed: (uses) =>
    uses.flatMap((use) => {
      const goal = goalOf(use);
      const cost = costOfMillion(use);
      const { name } = use.arrival;
      return cost > goal ? [`${name}: ${cost.toFixed(2)} dollars for a million writes, above ${goal}`] : [];
    }),
};

const goalOf = ({ arrival }: LogUse): number => PACES.find(({ name }) => name === arrival.name)?.goal ?? Number.NaN;

/** What is paid once; storage is paid every month. */
const once = ({ usage }: LogUse) => withoutStorage(usage);
const costOfMillion = (use: LogUse): number => 1_000_000 * dollars(once(use));

const SHOWN: readonly (readonly [string, Resource])[] = [
  ['Write units of the table', 'writeUnits'],
  ['Read units of the table', 'readUnits'],
  ['Signatures of the key service', 'signatures'],
  ['Requests of the queue', 'queueRequests'],
  ['Calls of functions', 'functionCalls'],
  ['Objects put or copied', 'objectWrites'],
];

function logSection(uses: readonly LogUse[]): string {
  const services = [...new Set(Object.values(PRICES.rates).map(({ service }) => service))];
  const costs = uses.map((use) => dollarsByService(once(use)));
  const rows = [
    ...SHOWN.map(([label, resource]) => [label, ...uses.map(({ usage }) => (usage[resource] ?? 0).toFixed(3))]),
    ...services
      .map((service) => [
        `${service}, dollars`,
        ...costs.map((cost) => (1_000_000 * (cost.get(service) ?? 0)).toFixed(2)),
      ])
      .filter(([, ...cells]) => cells.some((cell) => cell !== '0.00')),
    ['**Together, dollars**', ...uses.map((use) => `**${costOfMillion(use).toFixed(2)}**`)],
    ['Goal', ...uses.map((use) => String(goalOf(use)))],
  ];
  return `## Cost of the log

What the [log](rules/log.md#sequencing) uses for one accepted write, and dollars for a million of them, at the list prices of
${PRICES.region} on ${PRICES.date}. The integrator ran on the entries of real writes to one organization, and its calls and units were
counted. Simulated are the times at which writes come and ${POLLERS} connections of the event source, each of which gathers messages
for calls of its own. Each entry is a message of its own, which is sent and received alone. A call of the integrator is assumed
to take ${ASSUMED.ownMillis} ms and ${ASSUMED.callMillis} ms for each call in a row.

${table(['', ...uses.map(({ arrival: { name } }) => name)], rows)}`;
}
