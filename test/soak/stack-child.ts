import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FromStack, StackStart, ToStack } from './messages.ts';

const STACK = fileURLToPath(new URL('stack-process.ts', import.meta.url));

/** Starts the process of the stack. Its output goes to a file. */
export function startChild(log: string): ChildProcess {
  const file = openSync(log, 'w');
  try {
    return fork(STACK, { stdio: ['ignore', file, file, 'ipc'] });
  } finally {
    closeSync(file);
  }
}

/** Waits for the next message of a kind. @throws Error if the stack ends first */
async function nextMessage<K extends FromStack['kind']>(child: ChildProcess, kind: K) {
  const received = new Promise<Extract<FromStack, { kind: K }>>((resolve) => {
    child.on('message', (message: FromStack) => {
      if (message.kind === kind) resolve(message as Extract<FromStack, { kind: K }>);
    });
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The stack ended; see its log');
  });
  return Promise.race([received, ended]);
}

/** Ends the injected faults. @returns how many there were of each kind */
export async function stopFaults(child: ChildProcess): Promise<Record<string, number>> {
  const answer = nextMessage(child, 'faultsStopped');
  child.send({ kind: 'stopFaults' } satisfies ToStack);
  return (await answer).counts;
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exited;
}

/** Starts the stack in its process. @throws Error if the process ends before it is ready */
export function startStackIn(child: ChildProcess, start: StackStart) {
  const answer = nextMessage(child, 'ready');
  child.send({ kind: 'start', ...start } satisfies ToStack);
  return answer;
}
