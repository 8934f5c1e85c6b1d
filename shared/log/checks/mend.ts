import type { OrganizationId } from '#shared/base/ids.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { readClaims } from '../records/claims.ts';
import { checkpointKey, cosignedKey } from '../records/keys.ts';
import { readBatches } from '../records/log-batches.ts';
import {
  type LogState,
  type PublishedCheckpoint,
  readLogState,
  replaceCheckpoint,
  replaceHead,
} from '../records/log-state.ts';
import { grow, isSameRange } from '../rules/growth.ts';
import { LogDiffers } from '../rules/log-differs.ts';
import type { RecoverServices } from '../services.ts';
import { readWaiting } from '../waiting-entries.ts';
import { copiedCheckpoint, requireContinuous, requireSigned } from './continuity.ts';

export type Mended = 'CHECKPOINT' | 'COSIGNED' | 'HEAD';

/**
 * Makes the stored state of a log right again if it does not continue what was published (rules/log.md#recover-a-log):
 * the checkpoint from its newest copy in the bucket, the head from the checkpoint and the batches since. Signs nothing.
 *
 * @throws LogDiffers if what is stored does not lead to a checkpoint that the log signed; then nothing more is replaced
 */
export async function mendLog(services: RecoverServices, org: OrganizationId): Promise<Mended[]> {
  const { publicKey } = await services.logKey();
  const state = await readLogState(services.table, org);
  // A log that is not in the table comes back from the bucket.
  if (!state.head && !state.checkpoint) return [];
  const mended: Mended[] = [];
  const checkpoint = await mendedCheckpoint(services, org, state, publicKey);
  if (checkpoint && checkpoint !== state.checkpoint) {
    await replaceCheckpoint(services.table, checkpointKey(org), checkpoint);
    mended.push('CHECKPOINT');
  }
  if (checkpoint && state.cosigned && !isSigned(org, checkpoint, state.cosigned, publicKey)) {
    // Without the cosignatures. The witnesses are asked again.
    await replaceCheckpoint(services.table, cosignedKey(org), checkpoint);
    mended.push('COSIGNED');
  }
  if (checkpoint && (await mendHead(services, org, state, checkpoint))) mended.push('HEAD');
  await requireContinuous(services, org, await readLogState(services.table, org), publicKey);
  return mended;
}

const originOf = ({ note }: PublishedCheckpoint): string => parseCheckpoint(parseNote(note).text).origin;

function isSigned(
  org: OrganizationId,
  checkpoint: PublishedCheckpoint,
  signed: PublishedCheckpoint,
  publicKey: Buffer,
): boolean {
  try {
    requireSigned(org, originOf(checkpoint), signed, publicKey);
    return true;
  } catch (error) {
    if (error instanceof LogDiffers) return false;
    throw error;
  }
}

/** Returns the stored checkpoint if the log signed it as it is, otherwise its newest copy; null if there is neither. */
async function mendedCheckpoint(
  services: RecoverServices,
  org: OrganizationId,
  { head, checkpoint }: LogState,
  publicKey: Buffer,
): Promise<PublishedCheckpoint | null> {
  try {
    if (checkpoint && checkpoint.copied.size <= checkpoint.range.size) {
      requireSigned(org, originOf(checkpoint), checkpoint, publicKey);
      return checkpoint;
    }
  } catch (error) {
    if (!(error instanceof LogDiffers)) throw error;
  }
  // In a table of a time before the first checkpoint, the entries of the copy come back afterwards.
  const most = checkpoint ? Number.POSITIVE_INFINITY : (head?.range.size ?? 0);
  return copiedCheckpoint(services, org, publicKey, most);
}

/**
 * Computes the head from the checkpoint and the entries since. Each of these entries must have its claim, so a batch that was
 * changed is not taken for one that was appended.
 *
 * @returns whether the stored head was another one
 */
async function mendHead(
  { table, clock }: RecoverServices,
  org: OrganizationId,
  { head }: LogState,
  checkpoint: PublishedCheckpoint,
): Promise<boolean> {
  const { size } = checkpoint.range;
  const { entries } = await readBatches(table, org, size, Number.MAX_SAFE_INTEGER);
  const { range } = grow({ range: checkpoint.range, full: new Map() }, entries.map(leafHash));
  const origin = originOf(checkpoint);
  const tiled = size - (size % TILE_WIDTH);
  const isSame = head && isSameRange(head.range, range) && head.origin === origin;
  if (isSame && head.tiled % TILE_WIDTH === 0 && head.tiled >= tiled && head.tiled <= range.size) return false;
  await requireClaims(table, org, entries, size);
  // If only the size was changed, the hashes are those of the entries.
  if (head && head.range.size > range.size && !Buffer.concat(head.range.hashes).equals(Buffer.concat(range.hashes))) {
    throw new LogDiffers(org, `the head has ${head.range.size} entries, and the table has batches up to ${range.size}`);
  }
  await replaceHead(table, org, { range, origin, tiled, at: clock.now(), backfilled: head?.backfilled ?? null });
  return true;
}

async function requireClaims(
  table: RecoverServices['table'],
  org: OrganizationId,
  entries: readonly Buffer[],
  first: number,
): Promise<void> {
  const waiting = entries.map((bytes, i) => readEntry(org, bytes, first + i));
  const claims = await readClaims(
    table,
    org,
    waiting.map(({ entry }) => entry.subject),
  );
  for (const [i, { hash }] of waiting.entries()) {
    const claim = claims[i];
    if (claim?.index === first + i && hash.equals(claim.hash)) continue;
    throw new LogDiffers(org, `entry ${first + i} of the table is not the one that was appended`);
  }
}

function readEntry(org: OrganizationId, bytes: Buffer, index: number): ReturnType<typeof readWaiting> {
  try {
    return readWaiting(org, bytes);
  } catch (cause) {
    throw new LogDiffers(org, `entry ${index} of the table cannot be read`, { cause });
  }
}
