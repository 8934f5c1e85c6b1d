import { fileURLToPath } from 'node:url';
import { EngineProcess } from '#shared/engines/child-process.ts';
import { breachText } from '#shared/engines/limits.ts';
import type { Breach } from '#shared/engines/messages.ts';
import type { PolicyEngine, PolicyOutcome } from '#shared/engines/policy-engine.ts';
import { type Log, logToConsole } from '#shared/http/access-log.ts';
import { ENGINE_NAME, ENGINE_VERSION } from './engine-version.ts';
import type { PolicyChild } from './packaged-policy-child.ts';
import type { PolicyAnswers, PolicyRequest } from './policy-messages.ts';

/**
 * For one policy, its compilation and its input included. The engine's own budgets end most hostile policies long before;
 * an evaluation has to be over 15 seconds after its request.
 */
const TIMEOUT_MILLIS = 10_000;

/** For the child's heap: input of 32 MB takes about a third of it. The function has half as much again for itself. */
const MEMORY_MB = 1024;

/**
 * Functions that call each other are to meet the engine's own limit of depth before the end of the stack, whose place
 * differs from run to run: the same policy has the same outcome.
 */
const STACK_KB = 6_000;

export interface ChildPolicyEngineOptions {
  timeoutMillis?: number;
  memoryMb?: number;
  /** The child's program; by default the sources (a deployed function has a package of it: packaged-policy-child.ts). */
  child?: PolicyChild;
  /** Where faults of the engine itself are told. */
  log?: Log;
  wallClock?: () => number;
}

/** The child's program as it lies in the sources. */
const sources = (): PolicyChild => ({
  entry: fileURLToPath(new URL('./policy-child.ts', import.meta.url)),
  readable: [fileURLToPath(new URL('../..', import.meta.url))],
});

/**
 * Evaluates policies one after another in a child process, which the first one starts: without an environment, within
 * bounds of time and memory. Whatever a policy does to the process is an outcome, so that nobody tries it for ever.
 */
export function childPolicyEngine(options: ChildPolicyEngineOptions = {}): PolicyEngine & { close(): Promise<void> } {
  const { child = sources(), log = logToConsole, wallClock = Date.now } = options;
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
    async evaluate(question) {
      const answer = await engine.run({ kind: 'evaluate', ...question });
      if ('breach' in answer) return breached(answer.breach, limits);
      const { outcome, fault } = answer.value;
      if (fault !== null) {
        const timestamp = new Date(wallClock()).toISOString();
        log({
          level: 'ERROR',
          message: 'The policy engine failed',
          timestamp,
          service: 'policies',
          request_id: 'none',
          fault,
        });
      }
      return outcome;
    },
    close: () => engine.close(),
  };
}

/** What a policy did to its process is its author's to change (semantics §8.2), but for what nobody can explain. */
const breached = (breach: Breach, limits: { timeoutMillis: number; memoryMb: number }): PolicyOutcome => ({
  outcome: 'error',
  kind: breach === 'crash' ? 'internal_error' : 'policy_timeout',
  message: `The policy ${breachText(breach, limits)}`,
});
