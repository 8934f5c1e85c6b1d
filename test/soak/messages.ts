/** Messages between the soak and the process of its stack. */
export type ToStack = { kind: 'start'; seed: unknown; containers?: number | undefined } | { kind: 'stopFaults' };

export type FromStack =
  | { kind: 'ready'; url: string; endpoints: { dynamodb: string; s3: string; sqs: string } }
  /** The number of injected faults, by service and fault. */
  | { kind: 'faultsStopped'; counts: Record<string, number> };
