import { fileURLToPath } from 'node:url';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { EngineProcess } from '#shared/engines/child-process.ts';
import { breachText } from '#shared/engines/limits.ts';
import type { Breach } from '#shared/engines/messages.ts';
import type { PolicyEngine, PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { ENGINE_LANGUAGE, ENGINE_NAME, ENGINE_VERSION } from './engine-version.ts';
import type { PolicyChild } from './packaged-policy-child.ts';
import type { PolicyAnswers, PolicyRequest } from './policy-messages.ts';

/**
 * Time for one policy, with the compilation of the policy and the parsing of its input. The budgets of the engine end most
 * hostile policies much earlier.
 */
const TIMEOUT_MILLIS = 10_000;

/** Heap of the child. An input of 32 MiB takes about a third of it. The rest of the function's memory is for the function itself. */
const MEMORY_MB = 1024;

/**
 * Stack of the child. Recursion has to reach the depth limit of the engine before the stack overflows: the depth limit is the
 * same in every run, the point of an overflow is not.
 */
const STACK_KB = 6_000;

export interface ChildPolicyEngineOptions {
  timeoutMillis?: number;
  memoryMb?: number;
  /** Program of the child. Default: the sources. A deployed function uses a package (packaged-policy-child.ts). */
  child?: PolicyChild;
  log?: Log;
  wallClock?: () => number;
}

/** The child's program in the sources of the repository. */
const sources = (): PolicyChild => ({
  entry: fileURLToPath(new URL('./policy-child.ts', import.meta.url)),
  readable: [fileURLToPath(new URL('../..', import.meta.url))],
});

/**
 * Returns an engine that evaluates policies one after another in a child process, with an empty environment and limits of
 * time and memory (rules/evaluations.md#process-of-the-engine). The first policy starts the process.
 *
 * `evaluate` returns an outcome for everything that a policy does to the process, so a hostile policy is not retried.
 */
export function childPolicyEngine(options: ChildPolicyEngineOptions = {}): PolicyEngine & { close(): Promise<void> } {
  const { child = sources(), log, wallClock } = options;
  const line = messageLog('policies', log, wallClock);
  const limits = {
    timeoutMillis: options.timeoutMillis ?? TIMEOUT_MILLIS,
    memoryMb: options.memoryMb ?? MEMORY_MB,
  };
  const engine = new EngineProcess<PolicyRequest, PolicyAnswers>({
    ...child,
    ...limits,
    args: [String(limits.timeoutMillis)],
    stackKb: STACK_KB,
    serialization: 'advanced',
  });
  return {
    name: ENGINE_NAME,
    version: ENGINE_VERSION,
    language: ENGINE_LANGUAGE,
    async evaluate(question) {
      const answer = await engine.run({ kind: 'evaluate', ...question });
      if ('breach' in answer) return outcomeOfBreach(answer.breach, limits);
      const { outcome, fault } = answer.value;
      if (fault !== null) line('ERROR', 'The policy engine failed', { messageId: 'none' }, { fault });
      return outcome;
    },
    close: () => engine.close(),
  };
}

/** A breach of a limit is the author's fault. A crash without a known cause is the service's (rules/evaluations.md#error-kinds). */
const outcomeOfBreach = (breach: Breach, limits: { timeoutMillis: number; memoryMb: number }): PolicyOutcome => ({
  outcome: 'error',
  kind: breach === 'crash' ? 'internal_error' : 'policy_timeout',
  message: `The policy ${breachText(breach, limits)}`,
});
