/**
 * List prices in US dollars of one region on one date, without taxes, discounts and free allowances. Nothing updates them:
 * compare them with the pages of the provider before you base a budget on them.
 */
interface Price {
  /** The service that the provider bills. */
  service: string;
  /** Name of the provider's page with the price. */
  page: string;
  /** What is paid for, in words. */
  unit: string;
  dollars: number;
  /** How many units the dollars pay for. */
  per: number;
}

const MILLION = 1_000_000;

const price =
  (service: string, page: string) =>
  (unit: string, dollars: number, per: number): Price => ({ service, page, unit, dollars, per });

const gateway = price('Gateway', 'Amazon API Gateway pricing, HTTP APIs');
const functions = price('Functions', 'AWS Lambda pricing, Arm');
const database = price('Table', 'Amazon DynamoDB pricing, on-demand capacity');
const bucket = price('Bucket', 'Amazon S3 pricing, S3 Standard');
const queues = price('Queues', 'Amazon SQS pricing, standard queues');
const keys = price('Keys', 'AWS Key Management Service pricing');
const watching = price('Logs, alarms, traces', 'Amazon CloudWatch pricing');
const tracing = price('Logs, alarms, traces', 'AWS X-Ray pricing');
const transfer = price('Transfer', 'Amazon EC2 on-demand pricing, data transfer out to the internet');

/** The price of each thing that is paid for. */
const RATES = {
  gatewayRequests: gateway('requests, up to 512 KB each', 1, MILLION),
  functionCalls: functions('calls', 0.2, MILLION),
  functionGigabyteSeconds: functions('GB-seconds', 13.3334, MILLION),
  readUnits: database('read units', 0.125, MILLION),
  writeUnits: database('write units', 0.625, MILLION),
  tableGigabytes: database('GB and month', 0.25, 1),
  tableBackupGigabytes: database('GB and month of point-in-time recovery', 0.2, 1),
  objectWrites: bucket('PUT, COPY and LIST requests', 5, MILLION),
  objectReads: bucket('GET requests', 0.4, MILLION),
  bucketGigabytes: bucket('GB and month', 0.023, 1),
  queueRequests: queues('requests, up to 64 KB each', 0.4, MILLION),
  signatures: keys('signatures with keys other than RSA 2048', 15, MILLION),
  keys: keys('keys and month', 1, 1),
  logGigabytes: watching('GB of logs', 0.5, 1),
  alarmMetrics: watching('metrics in alarms and month', 0.1, 1),
  dashboards: watching('dashboards and month', 3, 1),
  traces: tracing('traces', 5, MILLION),
  sentGigabytes: transfer('GB sent to the internet', 0.09, 1),
} as const satisfies Record<string, Price>;

export const PRICES = { region: 'us-east-1', date: '2025-01-01', rates: RATES as Record<Resource, Price> };

/** Something that is paid for. */
export type Resource = keyof typeof RATES;
/** An amount of each thing that is paid for; what is missing is 0. */
export type Usage = Partial<Record<Resource, number>>;

const entriesOf = (usage: Usage) => Object.entries(usage) as [Resource, number][];

/** Returns the usage of several things together. */
export function sum(usages: readonly Usage[]): Usage {
  const total: Usage = {};
  for (const usage of usages) {
    for (const [resource, amount] of entriesOf(usage)) total[resource] = (total[resource] ?? 0) + amount;
  }
  return total;
}

export const times = (usage: Usage, factor: number): Usage =>
  Object.fromEntries(entriesOf(usage).map(([resource, amount]) => [resource, amount * factor]));

const priceOf = ([resource, amount]: [Resource, number]): number => {
  const { dollars, per } = PRICES.rates[resource];
  return (amount * dollars) / per;
};

export const dollars = (usage: Usage): number => entriesOf(usage).reduce((total, entry) => total + priceOf(entry), 0);

/** Returns dollars by the service that the provider bills, in the order of the prices. */
export function dollarsByService(usage: Usage): Map<string, number> {
  const services = new Map(Object.values(PRICES.rates).map(({ service }) => [service, 0]));
  for (const entry of entriesOf(usage)) {
    const { service } = PRICES.rates[entry[0]];
    services.set(service, (services.get(service) ?? 0) + priceOf(entry));
  }
  return services;
}

/** What one request uses while the caller waits. */
export interface RequestUsage {
  read: number;
  write: number;
  objectReads: number;
  objectWrites: number;
  /** How long the function is busy, in milliseconds. */
  millis: number;
  /** Memory of the function in GB. */
  gigabytes: number;
}

/** Returns US dollars per million requests for what a request uses while the caller waits. */
export const costOfMillion = ({ read, write, objectReads, objectWrites, millis, gigabytes }: RequestUsage): number =>
  MILLION *
  dollars({
    gatewayRequests: 1,
    functionCalls: 1,
    functionGigabyteSeconds: (gigabytes * millis) / 1_000,
    readUnits: read,
    writeUnits: write,
    objectReads,
    objectWrites,
  });
