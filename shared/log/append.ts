import type { OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Write } from '#shared/table/table.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { continued } from './checks/continuity.ts';
import { claimWrite, readClaims } from './records/claims.ts';
import { batchWrite } from './records/log-batches.ts';
import { headWrite, type LogHead, newHead, readHead } from './records/log-state.ts';
import { BATCH_ENTRIES, batchLength } from './rules/batches.ts';
import { type Grown, grow } from './rules/growth.ts';
import type { AppendServices } from './services.ts';
import type { WaitingEntry } from './waiting-entries.ts';

interface Appending {
  services: AppendServices;
  org: OrganizationId;
  log: WorkerLog;
  isTime: () => boolean;
}

interface Appended {
  head: LogHead;
  /** The tree of the head, as computed from the published checkpoint. */
  grown: Grown;
  /** Entries for which there was no time. */
  left: WaitingEntry[];
}

/**
 * Appends entries to a log, in one transaction per batch (rules/log.md#sequencing). Entries that the log has already are
 * left out.
 *
 * @param from head of the log and its tree, as the caller read and verified them
 * @param entries in the order of subjects and numbers
 * @throws Contention if other writers are in the way for 20 seconds; LogDiffers if their entries do not lead to the new head
 */
export async function appendEntries(
  appending: Appending,
  from: Omit<Appended, 'left'>,
  entries: readonly WaitingEntry[],
): Promise<Appended> {
  let state: Appended = { ...from, left: [...entries] };
  while (state.left.length > 0 && appending.isTime()) {
    state = await retrying(async () => {
      const outcome = await appendBatch(appending, state);
      if (outcome === 'moved') state = { ...state, ...(await currentHead(appending, state.grown)) };
      if (outcome === 'claimed') state.left = await withoutClaimed(appending, state.left);
      if (state.left.length === 0) return state;
      return outcome === 'moved' || outcome === 'claimed' ? 'again' : outcome;
    });
  }
  return state;
}

async function appendBatch(
  { services: { table, clock }, org }: Appending,
  { head, grown: before, left }: Appended,
): Promise<Appended | 'moved' | 'claimed'> {
  const { size } = head.range;
  const lengths = left.slice(0, BATCH_ENTRIES).map(({ bytes }) => bytes.length);
  const batch = left.slice(0, batchLength(size, lengths));
  const grown = grow(
    before,
    batch.map(({ bytes }) => leafHash(bytes)),
  );
  const after: LogHead = { ...head, range: grown.range, at: clock.now() };
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
  return outcome === 'done' ? { head: after, grown, left: left.slice(batch.length) } : outcome;
}

/** Reads the head that other writers moved, and verifies that their entries lead to it. */
async function currentHead({ services, org }: Appending, known: Grown): Promise<Omit<Appended, 'left'>> {
  const head = (await readHead(services.table, org)) ?? newHead(services.origin(org));
  return { head, grown: await continued(services, org, known, head.range) };
}

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
