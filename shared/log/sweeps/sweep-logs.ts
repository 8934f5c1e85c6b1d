import type { OrganizationId } from '#shared/base/ids.ts';
import { type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, secondsOf } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { readActive } from '#shared/sweeps/active-organizations.ts';
import { mayBeCosigned } from '../ask-witnesses.ts';
import { isCopyDue } from '../checkpoint-copies.ts';
import { publishMessage } from '../log-message.ts';
import { isPublished } from '../publish.ts';
import { readLogState } from '../records/log-state.ts';
import { readSignatureLine } from '../records/signature-line.ts';
import { secondsToWait } from '../rules/signature-line.ts';

/** For this time after the last entries the sweep leaves a log alone that need not wait for a signature: an integrator may be at work. */
const GRACE: Duration = 60_000_000;
const WIDTH = 8;

/**
 * Asks the integrator to publish the logs that have entries without a checkpoint (`rules/log.md#publishing`), to copy
 * checkpoints without a copy (`rules/log.md#copies-of-checkpoints`), and to ask witnesses that may be asked again
 * (`rules/log.md#asking-witnesses`). Looks at the
 * organizations that are listed for the sweeps, with one read each. Logs how long the entries have waited.
 *
 * @returns how many messages were sent
 */
export async function sweepLogs(
  { table, clock, logEntries }: Pick<Stores, 'table' | 'clock'> & { logEntries: Queue },
  { log = workerLog('sweep') }: { log?: WorkerLog } = {},
): Promise<number> {
  const now = clock.now();
  const grace = GRACE + secondsToWait(await readSignatureLine(table), now) * 1_000_000;
  const behind: OrganizationId[] = [];
  await inParallel(await readActive(table), WIDTH, async ({ org }) => {
    const state = await readLogState(table, org);
    const waiting = now - (state.head?.at ?? 0);
    const isCopied = !state.checkpoint || !isCopyDue(state.checkpoint, now);
    const isDone = isPublished(state) && isCopied && !mayBeCosigned(state, now);
    if (isDone || waiting < grace) return;
    behind.push(org);
    if (isPublished(state)) return;
    log('A log has entries that no checkpoint covers', { organization: org, age_seconds: secondsOf(waiting) });
  });
  await logEntries.send(behind.map((org) => publishMessage(org)));
  return behind.length;
}
