import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import { checkpointKey, logHeadKey, walkKey } from './keys.ts';
import { LogHead, PublishedCheckpoint, rangeOf } from './log-state.ts';

/** How far the walk over a log came (rules/log.md#walk). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Walk = z
  .object({
    /** Size and root of the checkpoint that the walk leads to. */
    size: z.number(),
    root: Bytes.transform((bytes): Buffer => Buffer.from(bytes)),
    /** The tree of the entries that were checked: a multiple of 256. */
    done: z.number(),
    hashes: Bytes,
    /** When the walk ended; null while it goes on. */
    finishedAt: StoredMicros.nullable(),
  })
  .transform(({ done, hashes, ...facts }) => ({ ...facts, range: rangeOf(done, hashes) }));
export type Walk = z.infer<typeof Walk>;

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
  return {
    walk: walk ? Walk.parse(walk) : null,
    head: head ? LogHead.parse(head) : null,
    checkpoint: checkpoint ? PublishedCheckpoint.parse(checkpoint) : null,
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
