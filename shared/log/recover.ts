import type { OrganizationId } from '#shared/base/ids.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Uses } from '#shared/table/uses.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { parseNote, verifySignatures } from '#shared/tlog/notes.ts';
import { decodeBundle, TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { appendLeaves, type CompactRange, leafHash, rootOf } from '#shared/tlog/tree.ts';
import { copiesAbove, newestCopyAbove, readCopy } from './checkpoint-copies.ts';
import { type Mended, mendLog } from './checks/mend.ts';
import { replayedClaimWrite } from './records/claims.ts';
import { replayedBatchWrite } from './records/log-batches.ts';
import { headWrite, type LogHead, newHead, readHead } from './records/log-state.ts';
import { batchLength } from './rules/batches.ts';
import type { RecoverServices } from './services.ts';
import { tileName } from './tiles.ts';
import { readWaiting, type WaitingEntry } from './waiting-entries.ts';

/** What a recovery uses: it appends to the log, reads copies and bundles, and verifies signatures. */
export const RECOVER_LOG: Uses = { writes: ['LOG', 'LOGGED', 'AUDIT'], bucket: ['log:read'], keys: ['log:read'] };

/** The bucket does not hold what a log needs to go on. The message is a sentence for the operator. */
export class LogNotRecovered extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogNotRecovered';
  }
}

interface Recovered {
  /** Items of the log's state that were changed and are right again. */
  mended: Mended[];
  /** Entries that the table had before. */
  from: number;
  /** Entries that the table has now. */
  size: number;
  entries: WaitingEntry[];
  hasMore: boolean;
}

/**
 * Makes the stored state of a log right again, then appends to it what the bucket has of it and the table has lost, with the
 * same indexes (rules/log.md#recover-a-log). Signs nothing. Can be interrupted and repeated.
 *
 * @throws LogNotRecovered if the entries in the bucket do not lead to the newest checkpoint in it; nothing is written then.
 * LogDiffers if the state cannot be made right from what is stored
 */
export async function recoverLog(services: RecoverServices, org: OrganizationId, atMost: number): Promise<Recovered> {
  const { table, objects, origin } = services;
  const mended = await mendLog(services, org);
  const stored = await readHead(table, org);
  const newest = await newestCopyAbove(objects, org, stored?.range.size ?? 0);
  let head = stored ?? newHead(origin(org));
  if (newest !== null) head = await withSignedOrigin(services, org, { head, isStored: stored !== null, newest });
  const from = head.range.size;
  const entries: WaitingEntry[] = [];
  for await (const portion of entriesOutside(objects, org, from)) {
    if (entries.length >= atMost) return { mended, from, size: head.range.size, entries, hasMore: true };
    const waiting = portion.map((bytes) => readWaiting(org, bytes));
    head = await replayEntries(services, org, head, waiting);
    entries.push(...waiting);
  }
  return { mended, from, size: head.range.size, entries, hasMore: false };
}

/**
 * Verifies that the entries in the bucket continue the table's log up to the newest copied checkpoint, and that the log
 * signed it.
 *
 * @returns the head; if none is stored, with the origin of the checkpoint
 */
async function withSignedOrigin(
  { objects, logKey }: RecoverServices,
  org: OrganizationId,
  { head, isStored, newest }: { head: LogHead; isStored: boolean; newest: number },
): Promise<LogHead> {
  const note = parseNote((await readCopy(objects, org, newest)).note);
  const { origin, size, root } = parseCheckpoint(note.text);
  const { publicKey } = await logKey();
  const isSigned = verifySignatures(note, [verifierKey(origin, 'ed25519', publicKey)]).length === 1;
  if (!isSigned || size !== newest || (isStored && origin !== head.origin)) {
    throw new LogNotRecovered(`The log did not sign the copy of its checkpoint of size ${newest} in the bucket`);
  }
  let range = head.range;
  for await (const portion of entriesOutside(objects, org, range.size)) {
    range = appended(range, portion.slice(0, newest - range.size));
    if (range.size === newest) break;
  }
  if (range.size < newest) {
    throw new LogNotRecovered(`The bucket has entries up to ${range.size} only; ${newest} were published`);
  }
  if (!rootOf(range).equals(root)) {
    throw new LogNotRecovered(`The entries in the bucket do not have the root of the published checkpoint ${newest}`);
  }
  return { ...head, origin };
}

/**
 * Yields what the bucket has of a log from an index on: full bundles, then the copies of checkpoints behind them. No
 * portion has entries of two bundles.
 */
async function* entriesOutside(objects: Objects, org: OrganizationId, from: number): AsyncGenerator<Buffer[]> {
  let size = from;
  for (;;) {
    const index = Math.floor(size / TILE_WIDTH);
    const bundle = await objects.getLogObject(org, tileName({ level: 'entries', index, width: TILE_WIDTH }));
    if (!bundle) break;
    yield decodeBundle(bundle, TILE_WIDTH).slice(size % TILE_WIDTH);
    size = (index + 1) * TILE_WIDTH;
  }
  for (const copied of await copiesAbove(objects, org, size)) {
    const { entries } = await readCopy(objects, org, copied);
    const known = size - (copied - entries.length);
    // An interrupted recovery continues behind entries that it has replayed. A gap is for the caller to find.
    if (known < 0 || entries.length <= known) return;
    yield entries.slice(known);
    size = copied;
  }
}

const appended = (range: CompactRange, entries: readonly Buffer[]): CompactRange =>
  appendLeaves(
    range,
    entries.map((bytes) => leafHash(bytes)),
  );

/** Appends entries at the indexes that they had. @returns the head afterwards */
export async function replayEntries(
  { table, clock }: Pick<RecoverServices, 'table' | 'clock'>,
  org: OrganizationId,
  before: LogHead,
  entries: readonly WaitingEntry[],
): Promise<LogHead> {
  let head = before;
  for (let done = 0; done < entries.length; ) {
    const { size } = head.range;
    const lengths = entries.slice(done).map(({ bytes }) => bytes.length);
    const batch = entries.slice(done, done + batchLength(size, lengths));
    const bytes = batch.map((one) => one.bytes);
    const after: LogHead = { ...head, range: appended(head.range, bytes), at: clock.now() };
    const outcome = await table.transact([
      headWrite(org, head, after, () => 'Another call changed the log at the same time. Try again'),
      replayedBatchWrite(org, size, bytes),
      ...batch.map(({ entry: { subject }, hash }, i) =>
        replayedClaimWrite(org, subject, { index: size + i, hash }, () => {
          const place = Object.values(subject).join(' ');
          return `The table has another index than ${size + i} for the entry of ${place}`;
        }),
      ),
    ]);
    if (outcome !== 'done') throw new LogNotRecovered(outcome);
    head = after;
    done += batch.length;
  }
  return head;
}
