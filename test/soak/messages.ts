import type { StageLimits } from '#shared/callers/request-limits.ts';

/** How a stack of the soak starts. */
export interface StackStart {
  seed: unknown;
  containers?: number | undefined;
  /** Limits of each organization and key. @default none */
  limits?: StageLimits | undefined;
  /** Whether no fault is injected. @default false */
  isCalm?: boolean;
}

/** Messages between the soak and the process of its stack. */
export type ToStack = ({ kind: 'start' } & StackStart) | { kind: 'stopFaults' };

export type FromStack =
  | { kind: 'ready'; url: string; endpoints: { dynamodb: string; s3: string; sqs: string } }
  /** The number of injected faults, by service and fault. */
  | { kind: 'faultsStopped'; counts: Record<string, number> };
