import type { RuleOutcome } from '#shared/base/rule-outcome.ts';

/** What the service asks of the child process. Documents and schemas travel as JSON text. */
export type Request =
  | { kind: 'checkJq'; programs: readonly string[] }
  | { kind: 'runJq'; programs: readonly string[]; json: string }
  | { kind: 'checkSchema'; schema: string }
  | { kind: 'validate'; schema: string; json: string };

/** The value that answers each kind of request; see the interface `Engines`. */
export interface Answers {
  checkJq: (string | null)[];
  runJq: RuleOutcome[];
  checkSchema: string | null;
  validate: string | null;
}

/** How a caller's program broke a limit: it took too long, too much memory, or brought its engine down. */
export type Breach = 'time' | 'memory' | 'crash';

/** What the child process says: `ready` once, then one reply to each request. After a breach it is of no more use. */
export type Reply = { kind: 'ready' } | { kind: 'done'; value: unknown } | { kind: 'breach'; breach: Breach };
