import { pause } from './pause.ts';

/**
 * Calls a function at a fixed interval, as a schedule of a region does. Calls never overlap.
 *
 * @param everySeconds pause between the end of a call and the next call
 * @returns `stop`, which waits for the running sweep
 */
export function startSweep(onSweep: () => Promise<unknown>, everySeconds: number): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const running = run(onSweep, everySeconds, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function run(onSweep: () => Promise<unknown>, everySeconds: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await onSweep();
    } catch (error) {
      console.error('A sweep failed; the next sweep repeats its work', error);
    }
    await pause(everySeconds * 1000, signal);
  }
}
