/**
 * List prices in US dollars per million, without taxes, discounts and the free tier, as the provider published them for
 * this region at this date. They are not looked up when the benchmark runs: compare them with the provider's pages
 * before a budget rests on them.
 */
export const PRICES = {
  region: 'us-east-1',
  date: '2025-01-01',
  /** On-demand capacity of the table, per million units. */
  readUnits: 0.125,
  writeUnits: 0.625,
  /** Requests to an HTTP API, up to 512 KB each. */
  gatewayRequests: 1,
  /** Calls of functions. */
  functionCalls: 0.2,
  /** A million GB-seconds on the ARM architecture. */
  functionGigabyteSeconds: 13.3334,
  /** Calls that put or copy objects, and those that read them. */
  objectWrites: 5,
  objectReads: 0.4,
} as const;

/** What one request uses. */
export interface Usage {
  read: number;
  write: number;
  objectReads: number;
  objectWrites: number;
  /** How long the function is busy, in milliseconds. */
  millis: number;
  /** Memory of the function in GB. */
  gigabytes: number;
}

/**
 * US dollars per million requests: the gateway, the function, the table and the bucket. What follows later (the relay,
 * queues, storage, logs, transfer) is not in it.
 */
export const costOfMillion = ({ read, write, objectReads, objectWrites, millis, gigabytes }: Usage): number =>
  PRICES.gatewayRequests +
  PRICES.functionCalls +
  (PRICES.functionGigabyteSeconds * gigabytes * millis) / 1_000 +
  PRICES.readUnits * read +
  PRICES.writeUnits * write +
  PRICES.objectReads * objectReads +
  PRICES.objectWrites * objectWrites;
