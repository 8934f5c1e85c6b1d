/** What the soak and its stack tell each other. */
export type ToStack = { kind: 'start'; seed: unknown } | { kind: 'clear' };

export type FromStack =
  | { kind: 'ready'; url: string; endpoints: { dynamodb: string; s3: string; sqs: string } }
  /** Faults injected until then, by what they were. */
  | { kind: 'cleared'; counts: Record<string, number> };
