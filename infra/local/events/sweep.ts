import { setTimeout as sleep } from 'node:timers/promises';

interface Sweep {
  /** Stops after the running sweep. */
  stop(): Promise<void>;
}

/**
 * Calls a function at a fixed interval, as a schedule of a region does. Calls never overlap.
 *
 * @param everySeconds pause between the end of a call and the next call
 */
export function startSweep(onSweep: () => Promise<unknown>, everySeconds: number): Sweep {
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
    await sleep(everySeconds * 1000, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
