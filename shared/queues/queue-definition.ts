/** Settings of a queue and of the function that reads it (rules/storage.md#queues). Times are in seconds. */
export interface QueueDefinition {
  visibility: number;
  receipts: number;
  batch: number;
  calls: number;
  timeout: number;
  retention: number;
  /** How long the event source collects messages for one call. Default: it does not wait. */
  window?: number;
}

/** The queue of deliveries. */
export const DELIVERIES_QUEUE = {
  /** How long a received message is hidden from other receivers: three times the longest call of the notifier. */
  visibility: 90,
  /** After this many failed receipts the queue moves the message to the dead-letter queue. */
  receipts: 5,
  /** Messages per call of the notifier. The notifier sends them in parallel. */
  batch: 10,
  /** Concurrent calls of the notifier. */
  calls: 50,
  /** Time limit of one call: longer than the limits of a request to a target and of the writes after it. */
  timeout: 30,
  /** How long messages and dead letters are kept: the maximum of the queue service. */
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;

/** The queue of expansions. */
export const EXPANSIONS_QUEUE = {
  /** Three times the longest call of the expander. */
  visibility: 180,
  receipts: 5,
  /** One message per call, so that no message waits for the work of another organization. */
  batch: 1,
  calls: 20,
  /**
   * A call begins new pieces for five seconds. The rest is for the longest piece: a snapshot of a logical environment
   * with many members, with the retries of a lost race.
   */
  timeout: 60,
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;

/** The queue of evaluations. */
export const EVALUATIONS_QUEUE = {
  /** Six times the longest call: no second call starts an evaluation while the first one is still running. */
  visibility: 360,
  receipts: 5,
  /** One evaluation per call, so that the evaluation can use all memory of the function. */
  batch: 1,
  calls: 20,
  /** Longer than reading 100 trails, the time limit of the policy and writing a decision take together. */
  timeout: 60,
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;

/** The queue of entries for the logs of organizations. */
export const LOG_ENTRIES_QUEUE = {
  /** Three times the longest call of the integrator. */
  visibility: 180,
  receipts: 5,
  /** Messages per call of the integrator. It appends all entries of one organization together. */
  batch: 50,
  /** Calls for one organization keep each other waiting, so there are few. */
  calls: 4,
  /** A call appends for ten seconds and stores tiles until 25 seconds. The rest is for the retries of a lost race. */
  timeout: 60,
  retention: 14 * 24 * 3600,
  /** The more entries a transaction has, the less each of them costs. */
  window: 2,
} as const satisfies QueueDefinition;

/** The queue of visits of organizations by the sweeps. */
export const VISITS_QUEUE = {
  /** Three times the longest call of the relay. */
  visibility: 180,
  receipts: 5,
  /** Visits are short and wait for the table most of the time, so a call makes several at once. */
  batch: 10,
  calls: 20,
  /** The time limit of the relay. A call begins nothing new in its last ten seconds. */
  timeout: 60,
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;

/** The queue of exports. */
export const EXPORTS_QUEUE = {
  /** Three times the longest call of the exporter. */
  visibility: 180,
  receipts: 5,
  /** One export per call, so that the export can use all memory of the function. */
  batch: 1,
  calls: 4,
  /** A call begins new pages for ten seconds. The rest is for the largest page, and for storing what it made. */
  timeout: 60,
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;
