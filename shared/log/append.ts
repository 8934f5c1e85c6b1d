import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { RelayLog } from '#shared/http/relay-log.ts';
import type { Write } from '#shared/table/table.ts';
import { appendLeaves, leafHash } from '#shared/tlog/tree.ts';
import { claimWrite, readClaims } from './records/claims.ts';
import { batchWrite } from './records/log-batches.ts';
import { headWrite, type LogHead, newHead, readHead } from './records/log-state.ts';
import { BATCH_ENTRIES, batchLength } from './rules/batches.ts';
import type { AppendServices } from './services.ts';
import type { WaitingEntry } from './waiting-entries.ts';

export interface Appending {
  services: AppendServices;
  org: OrganizationId;
  log: RelayLog;
  /** Whether there is time for another batch. */
  isTime: () => boolean;
}

/** How far a log came. */
export interface Appended {
  head: LogHead;
  /** Entries for which there was no time. */
  left: WaitingEntry[];
}

/**
 * Appends entries to a log, in one transaction per batch (rules/log.md#sequencing). Entries that the log has already are
 * left out.
 *
 * @param head as the caller read it
 * @param entries in the order of subjects and numbers
 * @throws Contention if other writers are in the way for 20 seconds
 */
export async function appendEntries(
  appending: Appending,
  head: LogHead,
  entries: readonly WaitingEntry[],
): Promise<Appended> {
  let state: Appended = { head, left: [...entries] };
  while (state.left.length > 0 && appending.isTime()) {
    state = await retrying(async () => {
      const outcome = await appendBatch(appending, state);
      if (outcome === 'moved') state.head = await currentHead(appending);
      if (outcome === 'claimed') state.left = await withoutClaimed(appending, state.left);
      if (state.left.length === 0) return state;
      return outcome === 'moved' || outcome === 'claimed' ? 'again' : outcome;
    });
  }
  return state;
}

async function appendBatch(
  { services: { table, clock }, org }: Appending,
  { head, left }: Appended,
): Promise<Appended | 'moved' | 'claimed'> {
  const { size } = head.range;
  const lengths = left.slice(0, BATCH_ENTRIES).map(({ bytes }) => bytes.length);
  const batch = left.slice(0, batchLength(size, lengths));
  const range = appendLeaves(
    head.range,
    batch.map(({ bytes }) => leafHash(bytes)),
  );
  const after: LogHead = { ...head, range, at: clock.now() };
  const claimed = () => 'claimed' as const;
  const writes: Write<'moved' | 'claimed'>[] = [
    headWrite(org, head, after, () => 'moved' as const),
    batchWrite(
      org,
      size,
      batch.map(({ bytes }) => bytes),
    ),
    ...batch.map(({ entry, hash }, i) => claimWrite(org, entry.subject, { index: size + i, hash }, claimed)),
  ];
  const outcome = await table.transact(writes);
  return outcome === 'done' ? { head: after, left: left.slice(batch.length) } : outcome;
}

const currentHead = async ({ services: { table, origin }, org }: Appending): Promise<LogHead> =>
  (await readHead(table, org)) ?? newHead(origin(org));

/**
 * Returns the entries that the log does not have. An entry that differs from the one in the log is logged and left out:
 * the stored record was changed after it was logged.
 */
async function withoutClaimed(
  { services: { table }, org, log }: Appending,
  entries: readonly WaitingEntry[],
): Promise<WaitingEntry[]> {
  const claims = await readClaims(
    table,
    org,
    entries.map(({ entry }) => entry.subject),
  );
  return entries.filter(({ entry: { subject }, hash }, i) => {
    const claim = claims[i];
    if (claim && !hash.equals(claim.hash)) {
      log('An entry differs from the one that the log has for its subject', {
        organization: org,
        ...subject,
        index: claim.index,
      });
    }
    return !claim;
  });
}
