import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import type { CompactRange } from '#shared/tlog/tree.ts';
import { checkpointKey, logHeadKey, walkKey } from './keys.ts';
import { type LogHead, type PublishedCheckpoint, parseCheckpointItem, parseHead, rangeOf } from './log-state.ts';

/** How far the walk over a log came (rules/log.md#walk). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const WalkItem = z.object({
  size: z.number(),
  root: Bytes,
  done: z.number(),
  hashes: Bytes,
  finishedAt: z.number().nullable(),
});

export interface Walk {
  /** Size and root of the checkpoint that the walk leads to. */
  size: number;
  root: Buffer;
  /** The tree of the entries that were checked: a multiple of 256. */
  range: CompactRange;
  /** When the walk ended; null while it goes on. */
  finishedAt: Micros | null;
}

/** What a portion of a walk begins with, in one call. Each is null if it is not stored. */
export interface WalkState {
  walk: Walk | null;
  head: LogHead | null;
  checkpoint: PublishedCheckpoint | null;
}

export async function readWalk(table: Table, org: OrganizationId): Promise<WalkState> {
  const keys = { walk: walkKey(org), head: logHeadKey(org), checkpoint: checkpointKey(org) };
  const found = await table.getMany(Object.values(keys));
  const [walk, head, checkpoint] = [keys.walk, keys.head, keys.checkpoint].map((key) => found.get(keyText(key)));
  const stored = walk && WalkItem.parse(walk);
  return {
    walk: stored
      ? {
          size: stored.size,
          root: Buffer.from(stored.root),
          range: rangeOf(stored.done, stored.hashes),
          finishedAt: stored.finishedAt,
        }
      : null,
    head: head ? parseHead(head) : null,
    checkpoint: checkpoint ? parseCheckpointItem(checkpoint) : null,
  };
}

/** Stores how far a walk came. Two walks at the same time repeat work, and nothing else. */
export const saveWalk = (table: Table, org: OrganizationId, { size, root, range, finishedAt }: Walk): Promise<void> =>
  table.put({
    ...walkKey(org),
    v: 1,
    size,
    root,
    done: range.size,
    hashes: Buffer.concat(range.hashes),
    finishedAt,
  });
