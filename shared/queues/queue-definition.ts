/** How a queue is made in a region and on one machine. Times in seconds. */
export interface QueueDefinition {
  visibility: number;
  receipts: number;
  batch: number;
  calls: number;
  timeout: number;
  retention: number;
}

/** The queue of deliveries. */
export const DELIVERIES_QUEUE = {
  /** How long a message is hidden while the notifier works on it: three times as long as a call of it may last. */
  visibility: 90,
  /** After so many receipts without success a message has crashed the notifier: it goes to the dead letters. */
  receipts: 5,
  /** Messages per call of the notifier, which works on all of them at once. */
  batch: 10,
  /** Calls of the notifier at the same time. */
  calls: 50,
  /** How long one call may last: above the limit of a request, and of what is written after it. */
  timeout: 30,
  /** How long messages and dead letters are kept: the longest that the service offers. */
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;

/** The queue of evaluations. */
export const EVALUATIONS_QUEUE = {
  /** Six times as long as a call may last: an evaluation is not begun again while somebody still works on it. */
  visibility: 360,
  receipts: 5,
  /** An evaluation has the memory of its call for itself. */
  batch: 1,
  calls: 20,
  /** Above what reading a hundred trails, the policy's own limit and a decision take together. */
  timeout: 60,
  retention: 14 * 24 * 3600,
} as const satisfies QueueDefinition;
