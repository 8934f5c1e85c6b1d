import { setTimeout as sleep } from 'node:timers/promises';

/** Waits. Returns early if the signal aborts. */
export async function pause(millis: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(millis, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
