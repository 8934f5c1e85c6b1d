import type { OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { TILE_WIDTH } from '#shared/tlog/tiles.ts';
import { appendEntries } from './append.ts';
import { askWitnesses } from './ask-witnesses.ts';
import { isCopyDue } from './checkpoint-copies.ts';
import { requireContinuous, requireSigned } from './checks/continuity.ts';
import { requireComplete } from './guard.ts';
import type { Later } from './log-message.ts';
import { predecessorKeys, withMissingLinks } from './missing-links.ts';
import { copyCheckpoint, isPublished, publishCheckpoint } from './publish.ts';
import { type LogHead, type LogState, logStateOf, NO_COPY, newHead, readLogItems } from './records/log-state.ts';
import { subjectName } from './rules/batches.ts';
import { secondsUntilSigned } from './rules/checkpoint-pace.ts';
import type { BundleRoots } from './rules/growth.ts';
import type { Place } from './rules/signature-line.ts';
import type { AppendServices, LogServices } from './services.ts';
import { storeFullTiles } from './store-tiles.ts';
import { inOrder, type WaitingEntry } from './waiting-entries.ts';

/** Entries for the log of an organization. */
export interface Incoming {
  org: OrganizationId;
  entries: readonly WaitingEntry[];
  trails: ReadonlyMap<TrailId, TrailName>;
}

interface IntegrateOptions {
  log: WorkerLog;
  isTime?: () => boolean;
}

interface PublishOptions extends IntegrateOptions {
  /** Returns the place of the log in the line for signatures; null if it has none. Absent: signatures are not limited. */
  placeOf?: (() => Promise<Place | null>) | undefined;
}

/** A log after entries were appended. The head is null if the log has no entry. */
interface Integrated extends LogState {
  sizeBefore: number;
  /** Whether the signature of the checkpoint was verified. */
  isVerified: boolean;
  /** Roots of the bundles that became full since the published checkpoint. */
  full: BundleRoots;
  left: WaitingEntry[];
}

/** What {@link integrate} needs of the table. */
export interface LogRead {
  state: LogState;
  /** Claims of the links before the entries, by `keyText`. */
  claims: ReadonlyMap<string, Item>;
}

/**
 * Reads what {@link integrate} needs of several logs at the same time: their states with a call for 50 logs, and the claims
 * before their entries with a call for 100 claims.
 *
 * @returns a function that returns what was read of a log. It throws ZodError if the items of this log cannot be read
 */
export async function readLogs(table: Table, incoming: readonly Incoming[]): Promise<(org: OrganizationId) => LogRead> {
  const [items, claims] = await Promise.all([
    readLogItems(
      table,
      incoming.map(({ org }) => org),
    ),
    table.getMany(incoming.flatMap(({ org, entries }) => predecessorKeys(org, entries))),
  ]);
  return (org) => ({ state: logStateOf(org, items.get(org) ?? []), claims });
}

/**
 * Appends entries to the log of an organization, after links that are missing before them (rules/log.md#sequencing).
 * {@link publishLog} takes the result and makes the entries visible.
 *
 * @param read what {@link readLogs} returned for this log
 * @throws LogBehind if more was published than the table has; LogDiffers if the table does not continue what was published;
 * Contention if other writers are in the way for 20 seconds
 */
export async function integrate(
  services: AppendServices,
  { org, entries, trails }: Incoming,
  { state, claims }: LogRead,
  { log, isTime = () => true }: IntegrateOptions,
): Promise<Integrated> {
  const { table, origin } = services;
  await requireComplete(services, org, state, log);
  const publicKey = await publicKeyOf(services);
  let grown = await requireContinuous(services, org, state, publicKey);
  const isVerified = publicKey !== undefined;
  const sizeBefore = state.head?.range.size ?? 0;
  const left = new Map(inOrder(entries).map((one) => [subjectName(one.entry.subject), one]));
  if (left.size === 0) return { ...state, sizeBefore, isVerified, full: grown.full, left: [] };
  let head: LogHead = state.head ?? newHead(origin(org));
  for await (const portion of withMissingLinks({ table, org, trails, claims, log }, [...left.values()])) {
    const appended = await appendEntries({ services, org, log, isTime }, { head, grown }, portion);
    ({ head, grown } = appended);
    const unfinished = new Set(appended.left.map(({ entry: { subject } }) => subjectName(subject)));
    for (const { entry } of portion) {
      const name = subjectName(entry.subject);
      if (!unfinished.has(name)) left.delete(name);
    }
    if (!isTime()) break;
  }
  const changed = { head: head.range.size > 0 ? head : null, full: grown.full, left: [...left.values()] };
  return { ...state, sizeBefore, isVerified, ...changed };
}

/**
 * Returns the public half of the key of logs. While the key service is away, entries are appended without it;
 * {@link publishLog} needs the key, and its failure is logged.
 */
const publicKeyOf = async ({ logSigner }: AppendServices): Promise<Buffer | undefined> =>
  (await logSigner?.().catch(() => undefined))?.publicKey;

/**
 * Stores tiles that became full, publishes a checkpoint if the published one is smaller, copies it if a copy is due, and asks
 * witnesses to cosign it (rules/log.md#publishing). What an interrupted call did not do, the next call does.
 *
 * @returns when the rest has to be published; null if nothing is left or if another call publishes it
 */
export async function publishLog(
  services: LogServices,
  org: OrganizationId,
  { head, checkpoint, sizeBefore, isVerified, full, ...state }: Omit<Integrated, 'left'>,
  { log, isTime = () => true, placeOf }: PublishOptions,
): Promise<Later | null> {
  if (!head) return null;
  const { size } = head.range;
  if (checkpoint && !isVerified) {
    requireSigned(org, head.origin, checkpoint, (await services.logSigner()).publicKey);
  }
  const tiled = await storeFullTiles(services, org, head, full, isTime);
  const isNew = checkpoint === null || !isPublished({ head, checkpoint });
  const place = isNew ? await placeOf?.() : undefined;
  // Readers take full tiles of a published size from the bucket.
  if (tiled < size - (size % TILE_WIDTH)) return { inSeconds: 0, number: place?.number };
  if (isNew) {
    const last = checkpoint && { size: checkpoint.range.size, at: checkpoint.at };
    const growing = { published: last, before: sizeBefore, size };
    const inSeconds = secondsUntilSigned(growing, place, services.clock.now(), services.checkpointEvery ?? 0);
    if (inSeconds !== 0) return inSeconds === null ? null : { inSeconds, number: place?.number };
  }
  const published = isNew ? await publishCheckpoint(services, org, head, checkpoint?.copied ?? NO_COPY) : checkpoint;
  if (!isNew && isCopyDue(published, services.clock.now())) await copyCheckpoint(services, org, published);
  await askWitnesses(services, org, { ...state, checkpoint: published }, log);
  return null;
}
