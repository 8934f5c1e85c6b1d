import { setTimeout as sleep } from 'node:timers/promises';

export interface Sweep {
  /** Waits for a running sweep, then ends. */
  stop(): Promise<void>;
}

/** Calls a function again and again, as a schedule does in a region; never twice at once. */
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
      console.error('A sweep failed; the next one tries again', error);
    }
    await sleep(everySeconds * 1000, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
