import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import { type LogHead, type LogState, type PublishedCheckpoint, storeCheckpoint } from './records/log-state.ts';
import type { LogServices } from './services.ts';

/** How long a call waits for witnesses. */
const WITNESSES_MILLIS = 1_500;

/** The table holds less of a log than was published. A checkpoint of it could contradict the published ones. */
export class LogBehind extends Error {
  constructor(org: OrganizationId, size: number, published: number) {
    super(`The log of organization ${org} has ${size} entries, but a checkpoint of ${published} entries was published`);
    this.name = 'LogBehind';
  }
}

/**
 * Requires that the table holds everything that was published of a log (rules/log.md#publishing). Must be called with
 * what was read last, before anything is appended or signed.
 *
 * @throws LogBehind
 */
export function requireComplete(org: OrganizationId, { head, checkpoint }: LogState): void {
  const [size, published] = [head?.range.size ?? 0, checkpoint?.range.size ?? 0];
  if (published > size) throw new LogBehind(org, size, published);
}

/** Whether every entry of a log has been published. */
export const isPublished = ({ head, checkpoint }: LogState): boolean =>
  (head?.range.size ?? 0) <= (checkpoint?.range.size ?? 0);

/**
 * Signs a checkpoint of the log as it is in the table, stores it unless a larger one is stored, and asks witnesses to
 * cosign it (rules/log.md#publishing).
 *
 * @param head as a successful transaction or a read of the table gave it
 */
export async function publishCheckpoint(
  { table, clock, logSigner: keyOfLogs, cosign }: LogServices,
  org: OrganizationId,
  { range, origin }: LogHead,
  log: RelayLog,
): Promise<PublishedCheckpoint> {
  const text = formatCheckpoint({ origin, size: range.size, root: rootOf(range) });
  const note = formatNote(await signNote(text, [logSigner(origin, await keyOfLogs())]));
  const checkpoint = { range, note, at: clock.now() };
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
