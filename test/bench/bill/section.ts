import { table } from '../page/markdown.ts';
import { dollars, dollarsByService, PRICES, sum, type Usage } from '../prices.ts';
import type { CountedOperations } from './count-operations.ts';
import { ASSUMPTIONS, CUSTOMERS, type Customer, WORKING_DAYS, WORKING_HOURS } from './customers.ts';
import { type Cause, millisBetweenEntries, monthOf, storageOf, withoutStorage } from './month.ts';
import { ENVIRONMENTS, OPERATIONS, type Operation, PAGE_REQUESTS, RUNNING } from './operations.ts';
import { ASSUMED } from './usage-of.ts';

/** The sections of the page about cost. */

/** Everything from which the bills are computed. */
export interface BillResult {
  counted: CountedOperations;
  /** What one accepted write uses in the log, by the name of the customer. */
  logs: Record<string, Usage>;
  idle: Usage;
}

const MILLION = 1_000_000;
/** Cost of the log depends on how often writes come. The table of single operations shows that of this customer. */
const [, TYPICAL] = CUSTOMERS;

const LOGGED: ReadonlySet<Operation> = new Set([
  'begin trail',
  'attestation',
  'attestation with a file',
  'artifact report',
  'report with a change',
]);

const money = (amount: number): string => amount.toFixed(2);
const perMillion = (usage: Usage): number => MILLION * dollars({ ...withoutStorage(usage), traces: tracesOf(usage) });
const tracesOf = ({ functionCalls = 0 }: Usage): number => ASSUMED.tracedShare * functionCalls;

const billOf = (customer: Customer, { counted, logs, idle }: BillResult): Cause[] =>
  monthOf(customer, { ...counted, idle, log: logs[customer.name] ?? {} });

function operationRows({ counted, logs }: BillResult) {
  const log = (TYPICAL && logs[TYPICAL.name]) ?? {};
  const rows = OPERATIONS.map((operation) => {
    const { request, afterwards } = counted.operations[operation];
    const logged = LOGGED.has(operation) ? log : {};
    return { operation: operation as string, request, afterwards, logged };
  });
  rows.push({ operation: 'webhook of an attestation', request: {}, afterwards: counted.webhook, logged: {} });
  return rows.map(({ operation, request, afterwards, logged }) => {
    const all = sum([request, afterwards, logged]);
    const stored = storageOf(all);
    return [
      operation,
      `${(request.readUnits ?? 0).toFixed(0)} / ${(request.writeUnits ?? 0).toFixed(0)}`,
      money(perMillion(request)),
      `${(afterwards.readUnits ?? 0).toFixed(0)} / ${(afterwards.writeUnits ?? 0).toFixed(0)}`,
      money(perMillion(afterwards)),
      money(perMillion(logged)),
      `**${money(perMillion(all))}**`,
      // The size of an item changes by some bytes if a time in it has fewer digits.
      Math.max(0, MILLION * ((stored.tableGigabytes ?? 0) + (stored.bucketGigabytes ?? 0))).toFixed(1),
      money(Math.max(0, MILLION * dollars(stored))),
    ];
  });
}

const sharesOf = (causes: readonly Cause[]): [string, number][] => {
  const total = dollars(sum(causes.map(({ usage }) => usage)));
  return causes
    .map(({ name, usage }): [string, number] => [name, dollars(usage) / total])
    .sort(([, a], [, b]) => b - a);
};

/** Says where most of each bill comes from. */
function sentenceOf(customer: Customer, causes: readonly Cause[]): string {
  const [[first, share] = ['nothing', 0], [second, next] = ['nothing', 0]] = sharesOf(causes);
  const percent = (value: number) => `${(100 * value).toFixed(0)} %`;
  return `- ${customer.name}: ${first} (${percent(share)}), then ${second} (${percent(next)}).`;
}

const billRows = (
  bills: readonly Cause[][],
  rows: readonly string[],
  cell: (name: string, bill: Cause[]) => number,
) => [
  ...rows.map((name) => [name, ...bills.map((bill) => money(cell(name, bill)))]),
  ['**Together**', ...bills.map((bill) => `**${money(dollars(sum(bill.map(({ usage }) => usage))))}**`)],
];

/** Returns the sections as Markdown. */
export function billSection(result: BillResult): string {
  const bills = CUSTOMERS.map((customer) => billOf(customer, result));
  const names = CUSTOMERS.map(({ name }) => name);
  const causes = bills[0]?.map(({ name }) => name) ?? [];
  const services = [...new Set(Object.values(PRICES.rates).map(({ service }) => service))];
  const totals = bills.map((bill) => dollarsByService(sum(bill.map(({ usage }) => usage))));
  const pace = TYPICAL ? `${(millisBetweenEntries(TYPICAL) / 1_000).toFixed(1)} seconds` : '';
  const stored = sum([storageOf(result.counted.operations.attestation.request)]);
  return `## Cost of operations

Dollars for a million of each operation, at the list prices of ${PRICES.region} on ${PRICES.date} ([prices](#prices)). The units were
counted on one machine, in an organization with ${RUNNING} releases and ${ENVIRONMENTS} environments; they follow from the sizes of items.
**The duration of functions in a region was not measured.** A call of a function is assumed to take ${ASSUMED.ownMillis} ms, and ${ASSUMED.callMillis} ms for each
AWS call in a row.

«Request» is what happens until the caller has the answer: gateway, function, table, bucket, logs, traces and transfer. Each
request reads the caller's key and membership again, because nothing is remembered. «Afterwards» is what the request causes in the
relay, the expander, the notifier and the queues. Each record that passes the [filter](rules/storage.md#filter) has a call of its own; with
more traffic, calls are shared and cost less. «Log» is the [log](rules/log.md#sequencing) with a write every ${pace} in working hours
([more](#cost-of-the-log)). Storage is paid every month, and not part of the sum.

${table(
  [
    'Operation',
    'units of request, read / write',
    'request $',
    'units afterwards, read / write',
    'afterwards $',
    'log $',
    'together $',
    'GB stored',
    '$ per month',
  ],
  operationRows(result),
)}

A page of the console makes ${PAGE_REQUESTS} requests. An attestation stores ${kilobytesOf(stored)} in the table.

## A month's bill

${table(
  ['Assumption', ...names],
  ASSUMPTIONS.map(([label, value]) => [label, ...CUSTOMERS.map((customer) => value(customer).toLocaleString('en'))]),
)}

A month has ${WORKING_DAYS} working days. Releases come evenly in ${WORKING_HOURS} hours of them, which is the most expensive case for the log. Dollars
for the last of the months that are stored, by what the provider bills:

${table(
  ['', ...names],
  billRows(bills, services, (service, bill) => totals[bills.indexOf(bill)]?.get(service) ?? 0),
)}

The same bills, by what causes them:

${table(
  ['', ...names],
  billRows(bills, causes, (cause, bill) => dollars(bill.find(({ name }) => name === cause)?.usage ?? {})),
)}

${idleSentence(result.idle)}

Most of the cost comes from:

${CUSTOMERS.map((customer, i) => sentenceOf(customer, bills[i] ?? [])).join('\n')}

Not included: taxes, discounts, free allowances, support, a registered domain, mail, exports, evaluations of policy programs,
witnesses in other regions, calls of the key service for the encryption of table and bucket (some per minute), keeping logs,
metrics of lines in logs, and a second region.

### Prices

Compare these prices with the provider's pages, because nothing updates them (\`test/bench/prices.ts\`).

${table(['What', 'dollars', 'for', 'page of the provider'], priceRows())}`;
}

const kilobytesOf = ({ tableGigabytes = 0 }: Usage): string => `${((tableGigabytes * 2 ** 30) / 1_000).toFixed(1)} KB`;

const idleSentence = ({ keys = 0, alarmMetrics = 0, dashboards = 0, queueRequests = 0 }: Usage): string =>
  `What runs without any request follows from the templates of a region: ${keys} keys, ${alarmMetrics} metrics in alarms, ${dashboards} dashboard,
${(queueRequests / MILLION).toFixed(1)} million requests that poll empty queues, and sweeps every minute and every five minutes.`;

const priceRows = () =>
  Object.values(PRICES.rates).map(({ service, unit, dollars, per, page }) => [
    `${service}: ${unit}`,
    String(dollars),
    per === 1 ? 'one' : per.toLocaleString('en'),
    page,
  ]);
