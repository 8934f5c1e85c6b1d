import type { OrganizationId } from '#shared/base/ids.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import { type LogHead, type LogState, type PublishedCheckpoint, storeCheckpoint } from './records/log-state.ts';
import type { LogServices } from './services.ts';

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
export function requireComplete(
  org: OrganizationId,
  { head, checkpoint }: Pick<LogState, 'head' | 'checkpoint'>,
): void {
  const [size, published] = [head?.range.size ?? 0, checkpoint?.range.size ?? 0];
  if (published > size) throw new LogBehind(org, size, published);
}

/** Whether every entry of a log has been published. */
export const isPublished = ({ head, checkpoint }: Pick<LogState, 'head' | 'checkpoint'>): boolean =>
  (head?.range.size ?? 0) <= (checkpoint?.range.size ?? 0);

/**
 * Signs a checkpoint of the log as it is in the table, and stores it unless a larger one is stored
 * (rules/log.md#publishing).
 *
 * @param head as a successful transaction or a read of the table gave it
 */
export async function publishCheckpoint(
  { table, clock, logSigner: keyOfLogs }: LogServices,
  org: OrganizationId,
  { range, origin }: LogHead,
): Promise<PublishedCheckpoint> {
  const text = formatCheckpoint({ origin, size: range.size, root: rootOf(range) });
  const note = formatNote(await signNote(text, [logSigner(origin, await keyOfLogs())]));
  const checkpoint = { range, note, at: clock.now() };
  await storeCheckpoint(table, org, checkpoint);
  return checkpoint;
}
