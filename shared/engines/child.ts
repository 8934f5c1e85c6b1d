import { checkPrograms, runPrograms } from './jq.ts';
import { type JqInstance, loadJq } from './jq-instance.ts';
import type { Answers, Reply, Request } from './messages.ts';
import { checkSchemaText, validateText } from './schema.ts';
import { isTimeout, type TimeLimit, timeLimit } from './time-limit.ts';

/**
 * Entry of the child process that runs the schemas and rules of callers. Arguments: the file of the jq module, the time
 * limit in milliseconds, the memory limit in megabytes. The process has no environment variables, may read only the
 * files of its own program, and ends when its parent ends.
 */
async function main([jqPath = '', timeout = '', memory = '']: readonly string[]): Promise<void> {
  const freshJq = await loadJq(jqPath, Number(memory));
  const within = timeLimit(Number(timeout));
  let next = Promise.resolve(await freshJq());

  const serve = async (request: Request): Promise<void> => {
    const jq = await next;
    const reply = replyTo(jq, request, within);
    process.send?.(reply);
    // A new instance after each jq request: no data of one caller's program may reach the next caller's program.
    if (reply.kind === 'done' && usesJq(request)) next = freshJq();
  };
  process.on('disconnect', () => process.exit(0));
  // Only the parent of this process sends messages on its channel.
  process.on('message', (request) => void serve(request as Request));
  process.send?.({ kind: 'ready' } satisfies Reply);
}

const usesJq = ({ kind }: Request): boolean => kind === 'checkJq' || kind === 'runJq';

function replyTo(jq: JqInstance, request: Request, within: TimeLimit): Reply {
  try {
    return { kind: 'done', value: within(() => answer(jq, request)) };
  } catch (error) {
    if (isTimeout(error)) return { kind: 'breach', breach: 'time' };
    return { kind: 'breach', breach: jq.outOfMemory ? 'memory' : 'crash' };
  }
}

function answer(jq: JqInstance, request: Request): Answers[Request['kind']] {
  switch (request.kind) {
    case 'checkJq':
      return checkPrograms(jq, request.programs);
    case 'runJq':
      return runPrograms(jq, request.programs, request.json);
    case 'checkSchema':
      return checkSchemaText(request.schema);
    case 'validate':
      return validateText(request.schema, request.json);
  }
}

// If `main` fails, the process ends, and the parent notices the exit.
void main(process.argv.slice(2));
