import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describeSeen, wasQuiet, watchDuring, watchIdle } from './noise/watch.ts';
import { type StoredResult, storeResult } from './results.ts';

/** Other work ran before or while a part was measured. */
export class OtherWorkRan extends Error {}

export interface RunOptions {
  quick: boolean;
  only?: string | undefined;
  /** The result is for the page: it is stored, and other work is not accepted. */
  forPage: boolean;
  /** Other work is accepted also for the page. */
  bearsNoise: boolean;
}

/**
 * Measures a part in a process of its own.
 *
 * @throws OtherWorkRan if the result is for the page, and other work ran before the measurement or during it
 * @throws Error if the part failed
 */
export async function runPart(name: string, { quick, only, forPage, bearsNoise }: RunOptions): Promise<StoredResult> {
  const before = await watchIdle();
  console.error(`${name}: other work before: ${describeSeen(before)}`);
  const refuse = (seen: typeof before, when: string) => {
    if (forPage && !bearsNoise && !wasQuiet(seen))
      throw new OtherWorkRan(`Other work ran ${when} ${name}: ${describeSeen(seen)}`);
  };
  refuse(before, 'before');
  const began = performance.now();
  const { result, seen: during } = await watchDuring(() => measureInChild(name, quick, only));
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.error(`${name}: measured in ${seconds} s; other work meanwhile: ${describeSeen(during)}`);
  const stored = { part: name, day: new Date().toISOString().slice(0, 10), seconds, before, during, result };
  refuse(during, 'during');
  if (forPage) storeResult(stored);
  return stored;
}

async function measureInChild(name: string, quick: boolean, only: string | undefined): Promise<unknown> {
  const options = [...(quick ? ['--quick'] : []), ...(only === undefined ? [] : ['--only', only])];
  const entry = fileURLToPath(new URL('measure-part.ts', import.meta.url));
  // The standard output is for the page, so that the part writes to the error output.
  const child = fork(entry, [name, ...options], { stdio: ['ignore', 2, 2, 'ipc'] });
  let sent: { result: unknown } | undefined;
  child.on('message', (message) => {
    sent = message as { result: unknown };
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (!sent || code !== 0) throw new Error(`The part '${name}' failed (exit code ${code ?? 'none'})`);
  return sent.result;
}
