import type { RuleOutcome } from '#shared/base/rule-outcome.ts';

/** A request to the child process. Documents and schemas are sent as JSON text. */
export type Request =
  | { kind: 'checkJq'; programs: readonly string[] }
  | { kind: 'runJq'; programs: readonly string[]; json: string }
  | { kind: 'checkSchema'; schema: string }
  | { kind: 'validate'; schema: string; json: string };

/** The type of the answer for each kind of request; see the interface `Engines`. */
export interface Answers {
  checkJq: (string | null)[];
  runJq: RuleOutcome[];
  checkSchema: string | null;
  validate: string | null;
}

/** How a caller's program exceeded a limit: too much time, too much memory, or a crash of the engine. */
export type Breach = 'time' | 'memory' | 'crash';

/** A message of the child process: `ready` once, then one reply to each request. After a breach it must be replaced. */
export type Reply = { kind: 'ready' } | { kind: 'done'; value: unknown } | { kind: 'breach'; breach: Breach };
