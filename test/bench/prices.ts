/**
 * List prices in US dollars per million, without taxes, discounts and the free tier, as the provider published them for
 * this region on this date. The benchmark does not update them: compare them with the provider's pages before you base a
 * budget on them.
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
  /** Calls that put or copy objects. */
  objectWrites: 5,
  /** Calls that read objects. */
  objectReads: 0.4,
  /** Requests to a queue, up to 64 KB each. */
  queueRequests: 0.4,
  /** Signatures of the key service with keys other than RSA 2048. */
  signatures: 15,
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
 * Returns US dollars per million requests, for the gateway, the function, the table and the bucket. The relay, queues,
 * storage, logs and transfer are not included.
 */
export const costOfMillion = ({ read, write, objectReads, objectWrites, millis, gigabytes }: Usage): number =>
  PRICES.gatewayRequests +
  PRICES.functionCalls +
  (PRICES.functionGigabyteSeconds * gigabytes * millis) / 1_000 +
  PRICES.readUnits * read +
  PRICES.writeUnits * write +
  PRICES.objectReads * objectReads +
  PRICES.objectWrites * objectWrites;

/** What the log uses for one accepted write. */
export interface LogUsage extends Usage {
  /** Calls of the integrator; `millis` is the length of one. */
  calls: number;
  queueRequests: number;
  signatures: number;
}

/** Returns what a million accepted writes cost in the log, by what is paid for. */
export const logCostOfMillion = (use: LogUsage) => ({
  writes: PRICES.writeUnits * use.write,
  reads: PRICES.readUnits * use.read,
  signatures: PRICES.signatures * use.signatures,
  queue: PRICES.queueRequests * use.queueRequests,
  function: use.calls * (PRICES.functionCalls + (PRICES.functionGigabyteSeconds * use.gigabytes * use.millis) / 1_000),
  bucket: PRICES.objectReads * use.objectReads + PRICES.objectWrites * use.objectWrites,
});
