import { setTimeout as sleep } from 'node:timers/promises';
import { RestoreError } from './restore-error.ts';
import type { Connection, RestoreStage, Say } from './stage.ts';

/** How long queues may take to become empty. */
const LONGEST_MILLIS = 15 * 60_000;
const POLL_MILLIS = 1_000;
const SAY_MILLIS = 30_000;

/**
 * Waits until no function writes any more: every function keeps to maintenance, and queues and the stream are worked off.
 *
 * @param longest in milliseconds
 * @throws RestoreError that names the queues that do not become empty
 */
export async function settle(
  { closedMillis, quietMillis }: Pick<RestoreStage, 'closedMillis' | 'quietMillis'>,
  { waiting }: Pick<Connection, 'waiting'>,
  say: Say,
  longest = LONGEST_MILLIS,
): Promise<void> {
  await sleep(closedMillis);
  const begun = Date.now();
  let saidAt = begun;
  let emptySince: number | undefined;
  for (;;) {
    const busy = [...(await waiting())].filter(([, count]) => count > 0);
    const now = Date.now();
    if (busy.length > 0) emptySince = undefined;
    else emptySince ??= now;
    if (emptySince !== undefined && now - emptySince >= quietMillis) return;
    const text = busy.map(([queue, count]) => `${count} of ${queue}`).join(', ');
    if (now - begun > longest) {
      throw new RestoreError(
        `These messages are not worked off: ${text}. Look at the functions of these queues, then repeat the command`,
      );
    }
    if (text !== '' && now - saidAt > SAY_MILLIS) {
      say(`  Waiting for messages: ${text}`);
      saidAt = now;
    }
    await sleep(Math.min(POLL_MILLIS, quietMillis));
  }
}
