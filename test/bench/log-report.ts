import type { LogUse } from './log-cost.ts';
import { POLLERS } from './log-cost.ts';
import { table } from './markdown.ts';
import { logCostOfMillion, PRICES } from './prices.ts';

/** The section of the page about the cost of logs. */

/** Memory of the integrator, in GB. */
const INTEGRATOR_GIGABYTES = 1;

const costOf = (use: LogUse) => logCostOfMillion({ ...use, gigabytes: INTEGRATOR_GIGABYTES });
const totalOf = (use: LogUse) => Object.values(costOf(use)).reduce((sum, dollars) => sum + dollars, 0);

/** @returns one sentence for each limit of cost that the log exceeds */
export const logShortfalls = (uses: readonly LogUse[]): string[] =>
  uses.flatMap((use) => {
    const { name, goal } = use.arrival;
    const total = totalOf(use);
    return total > goal ? [`the log, ${name}: ${total.toFixed(2)} dollars for a million writes, above ${goal}`] : [];
  });

/** Returns the section as Markdown. */
export function logSection(uses: readonly LogUse[]): string {
  const heads = uses.map(({ arrival: { name } }) => name);
  const row = (label: string, unit: string, amount: (use: LogUse) => number, paid: keyof ReturnType<typeof costOf>) => [
    label,
    ...uses.map((use) => `${amount(use).toFixed(3)} ${unit}: ${costOf(use)[paid].toFixed(2)}`),
  ];
  const rows = [
    row('Table, writes', 'units', ({ write }) => write, 'writes'),
    row('Table, reads', 'units', ({ read }) => read, 'reads'),
    row('Key service', 'signatures', ({ signatures }) => signatures, 'signatures'),
    row('Queue', 'requests', ({ queueRequests }) => queueRequests, 'queue'),
    row('Function', 'calls', ({ calls }) => calls, 'function'),
    row('Bucket', 'objects put', ({ objectWrites }) => objectWrites, 'bucket'),
    ['**Together**', ...uses.map((use) => `**${totalOf(use).toFixed(2)}**`)],
    ['Limit', ...uses.map(({ arrival: { goal } }) => String(goal))],
  ];
  return `## Cost of the log

What the [log](rules/log.md#sequencing) uses for one accepted write, and dollars for a million of them, at the list prices of ${PRICES.region}
on ${PRICES.date}. The integrator ran on the entries of real writes to one organization. Its calls and units were counted; its
time (${uses.map(({ millis }) => `${millis.toFixed(0)} ms`).join(', ')} for a call) depends on this machine. Simulated are the times at which writes come and ${POLLERS}
connections of the event source, each of which gathers messages for calls of its own. Each entry is a message of its own, which
is sent and received alone.

${table(['', ...heads], rows)}`;
}
