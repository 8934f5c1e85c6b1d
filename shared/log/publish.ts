import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
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

/** How long a call waits for witnesses. */
const WITNESSES_MILLIS = 1_500;

/** Whether every entry of a log has been published. */
export const isPublished = ({ head, checkpoint }: LogState): boolean =>
  (head?.range.size ?? 0) <= (checkpoint?.range.size ?? 0);

/**
 * Signs a checkpoint of the log as it is in the table, copies it to the bucket if a copy is due, stores it unless a larger
 * one is stored, and asks witnesses to cosign it (rules/log.md#publishing).
 *
 * @param head as a successful transaction or a read of the table gave it
 * @param last the last copy of a checkpoint
 */
export async function publishCheckpoint(
  services: LogServices,
  org: OrganizationId,
  { range, origin }: LogHead,
  last: Copied,
  log: RelayLog,
): Promise<PublishedCheckpoint> {
  const { table, clock, logSigner: keyOfLogs, cosign } = services;
  const text = formatCheckpoint({ origin, size: range.size, root: rootOf(range) });
  const note = formatNote(await signNote(text, [logSigner(origin, await keyOfLogs())]));
  const at = clock.now();
  const checkpoint = { range, note, at, copied: last };
  if (isCopyDue(checkpoint, at)) {
    await storeCopy(services, org, checkpoint, last.size);
    checkpoint.copied = { size: range.size, at };
  }
  const isStored = await storeCheckpoint(table, org, checkpoint);
  if (isStored && cosign) {
    try {
      await cosign(org, checkpoint, AbortSignal.timeout(WITNESSES_MILLIS));
    } catch (error) {
      // The checkpoint is published. Witnesses are asked again with the next one.
      log('Witnesses did not cosign a checkpoint', { organization: org, size: range.size, ...errorFacts(error) });
    }
  }
  return checkpoint;
}

/** Copies a published checkpoint to the bucket. */
export async function copyCheckpoint(
  services: Pick<LogServices, 'table' | 'objects' | 'clock'>,
  org: OrganizationId,
  checkpoint: PublishedCheckpoint,
): Promise<void> {
  const { range, copied } = checkpoint;
  await storeCopy(services, org, checkpoint, copied.size);
  await storeCopied(services.table, org, { size: range.size, at: services.clock.now() });
}
