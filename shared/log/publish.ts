import type { OrganizationId } from '#shared/base/ids.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import { isCopyDue, storeCopy } from './checkpoint-copies.ts';
import {
  type Copied,
  type LogHead,
  type LogState,
  type PublishedCheckpoint,
  storeCheckpoint,
  storeCopied,
} from './records/log-state.ts';
import type { LogServices } from './services.ts';

export const isPublished = ({ head, checkpoint }: Pick<LogState, 'head' | 'checkpoint'>): boolean =>
  (head?.range.size ?? 0) <= (checkpoint?.range.size ?? 0);

/**
 * Signs a checkpoint of the log as it is in the table, copies it to the bucket if a copy is due, and stores it unless a
 * larger one is stored (rules/log.md#publishing).
 *
 * @param head as a successful transaction or a read of the table gave it
 */
export async function publishCheckpoint(
  services: LogServices,
  org: OrganizationId,
  { range, origin }: LogHead,
  last: Copied,
): Promise<PublishedCheckpoint> {
  const { table, clock, logSigner: keyOfLogs } = services;
  const text = formatCheckpoint({ origin, size: range.size, root: rootOf(range) });
  const note = formatNote(await signNote(text, [logSigner(origin, await keyOfLogs())]));
  const at = clock.now();
  const checkpoint = { range, note, at, copied: last };
  if (isCopyDue(checkpoint, at)) {
    await storeCopy(services, org, checkpoint, last.size);
    checkpoint.copied = { size: range.size, at };
  }
  await storeCheckpoint(table, org, checkpoint);
  return checkpoint;
}

export async function copyCheckpoint(
  services: Pick<LogServices, 'table' | 'objects' | 'clock'>,
  org: OrganizationId,
  checkpoint: PublishedCheckpoint,
): Promise<void> {
  const { range, copied } = checkpoint;
  await storeCopy(services, org, checkpoint, copied.size);
  await storeCopied(services.table, org, { size: range.size, at: services.clock.now() });
}
