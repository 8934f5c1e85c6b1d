/** Settings of the event source that calls the relay, in a region and on one machine (rules/storage.md#event-source). */
export const RELAY_SOURCE = {
  /** Most records of one call. */
  batch: 100,
  /** Calls after the first one that a batch gets before the source gives it up. */
  retries: 10,
  /** Calls at the same time per shard. Records of one item are never in two of them. */
  parallel: 4,
} as const;
