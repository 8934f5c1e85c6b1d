import type { Reply } from '#shared/engines/messages.ts';
import { isTimeout, type TimeLimit, timeLimit } from '#shared/engines/time-limit.ts';
import { evaluatePolicy } from './evaluate-policy.ts';
import type { PolicyAnswers, PolicyRequest } from './policy-messages.ts';

/**
 * Entry of the child process that evaluates policies. Its argument is the time limit of one policy in milliseconds. The
 * process has an empty environment, may read only its own program, and ends when its parent disconnects.
 */
function main([timeout = '']: readonly string[]): void {
  const within = timeLimit(Number(timeout));
  process.on('disconnect', () => process.exit(0));
  // Only the parent sends messages, and all of them are requests.
  process.on('message', (request) => process.send?.(replyTo(request as PolicyRequest, within)));
  process.send?.({ kind: 'ready' } satisfies Reply);
}

function replyTo(question: PolicyRequest, within: TimeLimit): Reply {
  try {
    const value: PolicyAnswers['evaluate'] = { outcome: within(() => evaluatePolicy(question)), fault: null };
    return { kind: 'done', value };
  } catch (error) {
    if (isTimeout(error)) return { kind: 'breach', breach: 'time' };
    return { kind: 'done', value: failed(error) };
  }
}

/** Messages of a RangeError if a program runs out of stack, memory or size of a value. */
const EXHAUSTED = /call stack|string length|array length|array buffer|BigInt|maximum size|allocation/i;

/** Turns an unexpected error into an outcome: exhaustion is the policy's fault, everything else a fault of the engine. */
function failed(error: unknown): PolicyAnswers['evaluate'] {
  const isExhausted = error instanceof RangeError && EXHAUSTED.test(error.message);
  return isExhausted
    ? {
        outcome: { outcome: 'error', kind: 'policy_timeout', message: 'The policy needs too much memory' },
        fault: null,
      }
    : {
        outcome: { outcome: 'error', kind: 'internal_error', message: 'The policy engine failed on this policy' },
        fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
      };
}

main(process.argv.slice(2));
