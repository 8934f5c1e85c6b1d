import type { Id } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Provenance, readProvenance } from '#shared/evidence/provenance.ts';
import { type ListedDelivery, listAllDeliveries } from '#shared/notifications/list-deliveries.ts';
import { presentEnvironment } from '../present-environment.ts';
import { eventNumbers, readEvents } from '../records/environment-events.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { snapshotPartition } from '../records/keys.ts';
import { historyOf, readParts, type SnapshotParts } from '../records/snapshot-parts.ts';
import { readSnapshot, snapshotOf } from '../records/snapshots.ts';
import type { Approval } from '../rules/changes/approvals.ts';
import { EventMoments, type Moment } from '../rules/changes/event-moments.ts';
import { CHANGE_KINDS, type Change, type ChangeKind, changesBetween } from '../rules/changes/pair-rows.ts';
import { codeDiffUrl } from '../rules/code-diff.ts';
import { isRunning } from '../rules/content.ts';
import { rangeSize } from '../rules/interval.ts';
import { StateChange } from '../rules/state-intervals.ts';
import { resolveContent, type ShownRow } from '../snapshots/resolve-content.ts';
import { readApprovals } from './read-approvals.ts';

/** Most events of the period that are read: about a megabyte, which one call returns. */
const MOST_EVENTS = 1_600;
/** Most deliveries that are read: those of the newest events of the period. */
const MOST_DELIVERIES = 100;
/** Changes of the state that are read to find when the environment was compliant last. */
const MOST_STATES = 10;

interface ChangeSelection {
  period: { from: Micros; to: Micros };
  page: number;
  perPage: number;
}

/** A snapshot at one end of the period. */
export interface EdgeSnapshot {
  index: number;
  at: Micros;
  state: boolean | null;
}

/** A notification about a change, with the present name of its action; empty if the action was deleted. */
export interface NamedDelivery extends ListedDelivery {
  actionName: string;
}

/** A change with what explains it. */
export interface ExplainedChange extends Change<ShownRow> {
  /** The snapshot in which it happened; null if the events of the period do not say so. */
  moment: Moment | null;
  provenance: { before: Provenance | null; after: Provenance | null };
  /** Address of the code difference between the two artifacts. */
  codeDiff: string | null;
  approvals: Approval[];
  deliveries: NamedDelivery[];
}

export interface EnvironmentChanges {
  head: EnvironmentHead;
  /** The newest snapshots at both ends of the period; null if there was none yet. */
  before: EdgeSnapshot | null;
  after: EdgeSnapshot | null;
  /** Time of the first snapshot if the period began before it. */
  firstAt: Micros | null;
  /** The last instant at which the environment was compliant; null if it is compliant now, or never was. */
  lastCompliant: Micros | null;
  changes: ExplainedChange[];
  /** Number of changes on all pages, by kind. */
  totals: Record<ChangeKind, number>;
  /** Artifacts that ran only between the two ends; null if the period has too many events. */
  onlyBetween: number | null;
  /** Notifications about the state of the environment as a whole. */
  deliveries: NamedDelivery[];
  /** False if the period can have older notifications that were not read. */
  hasAllDeliveries: boolean;
}

/**
 * Lists what changed in an environment between two instants, with who made and allowed it and who was told
 * (rules/environments.md#changes-between-instants).
 *
 * @param name present name or alias
 * @throws ServiceError `not-found` if the environment does not exist
 * @throws RecordGone if a snapshot at one end is missing
 */
export async function listChanges(
  stores: Pick<Stores, 'table' | 'objects' | 'clock'>,
  org: Organization,
  name: EnvironmentName,
  { period, page, perPage }: ChangeSelection,
): Promise<EnvironmentChanges> {
  const head = await presentEnvironment(stores.table, org, name);
  const [ends, deliveries, lastCompliant] = await Promise.all([
    readEnds(stores, org, head, period),
    readDeliveries(stores, org, head, period),
    lastCompliantOf(stores, org, head),
  ]);
  const { before, after, moments } = ends;
  const all = changesBetween(before.rows, after.rows);
  const onPage = all.slice((page - 1) * perPage, page * perPage);
  const explained = await explain(stores, org, head, onPage);
  const changes = explained.map((change): ExplainedChange => {
    const moment = moments?.of(change) ?? null;
    return { ...change, moment, deliveries: deliveries.all.filter((one) => isAbout(one, change, moment)) };
  });
  const counted = Map.groupBy(all, ({ kind }) => kind);
  return {
    head,
    before: before.snapshot,
    after: after.snapshot,
    firstAt: ends.firstAt,
    lastCompliant,
    changes,
    // Every kind has a count.
    totals: Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, counted.get(kind)?.length ?? 0])) as Record<
      ChangeKind,
      number
    >,
    onlyBetween: moments?.onlyBetween(before.rows, after.rows) ?? null,
    deliveries: deliveries.all.filter(({ delivery: { notice } }) => notice.artifact === undefined),
    hasAllDeliveries: deliveries.isComplete,
  };
}

/** The snapshots at both ends of the period with what ran in them, and the events between them. */
async function readEnds(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  head: EnvironmentHead,
  { from, to }: ChangeSelection['period'],
) {
  const { table } = stores;
  const history = historyOf(table, org.id, head);
  const [first, last] = await Promise.all([history.indexAt(from), history.indexAt(to)]);
  const [before, after, oldest, numbers] = await Promise.all([
    readEnd(stores, org, head, first),
    first === last ? null : readEnd(stores, org, head, last),
    first === 0 && head.index > 0 ? readSnapshot(table, org.id, head.id, 1) : null,
    eventNumbers(table, org.id, head, { from: first + 1, to: last }),
  ]);
  const events = rangeSize(numbers) > MOST_EVENTS ? null : await readEvents(table, org.id, head.id, numbers);
  return { before, after: after ?? before, firstAt: oldest?.at ?? null, moments: events && new EventMoments(events) };
}

const NOTHING = { snapshot: null, rows: [] };

/** @param index 0 = no snapshot, in which nothing ran */
async function readEnd(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  head: EnvironmentHead,
  index: number,
): Promise<{ snapshot: EdgeSnapshot | null; rows: ShownRow[] }> {
  if (index === 0) return NOTHING;
  const parts: SnapshotParts | null = await readParts(stores.table, org.id, head.id, index);
  if (!parts) throw new RecordGone(snapshotOf(head.id, index));
  const { rows } = await resolveContent(stores, org.id, { head, parts });
  const { at, state } = parts.summary;
  return { snapshot: { index, at, state }, rows: rows.filter(isRunning) };
}

/** Reads what only the artifacts of a page need: their reports, and who let them through. */
async function explain(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  head: EnvironmentHead,
  changes: readonly Change<ShownRow>[],
) {
  const reportOf = (row: ShownRow | null): Id | undefined => row?.flows[0]?.report;
  const reports = changes.flatMap(({ before, after }) => [reportOf(before) ?? [], reportOf(after) ?? []].flat());
  const appeared = changes.flatMap(({ after }) => after ?? []);
  const [provenance, approvals] = await Promise.all([
    readProvenance(stores, org.id, reports),
    readApprovals(stores, org, head, appeared),
  ]);
  return changes.map((change) => {
    const { before, after } = change;
    const sides = {
      before: provenance.get(reportOf(before) ?? '') ?? null,
      after: provenance.get(reportOf(after) ?? '') ?? null,
    };
    return {
      ...change,
      provenance: sides,
      codeDiff: sides.before && sides.after ? codeDiffUrl(sides.before, sides.after) : null,
      approvals: (after && approvals[appeared.indexOf(after)]) ?? [],
    };
  });
}

async function readDeliveries(
  stores: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  { name: environment }: EnvironmentHead,
  period: ChangeSelection['period'],
): Promise<{ all: NamedDelivery[]; isComplete: boolean }> {
  const filter = { environment, ...period };
  const page = await listAllDeliveries(stores, org, filter, { after: undefined, limit: MOST_DELIVERIES });
  const all = page.deliveries.flatMap((found) =>
    'unreadable' in found ? [] : [{ ...found, actionName: page.names.get(found.delivery.action) ?? '' }],
  );
  return { all, isComplete: page.next === null };
}

/** Whether a notification is about an artifact of a change, or about the environment, in the snapshot of the change. */
function isAbout(
  { delivery: { notice } }: NamedDelivery,
  { before, after }: Change<ShownRow>,
  moment: Moment | null,
): boolean {
  const { artifact, snapshot } = notice;
  if (artifact === undefined) return moment !== null && snapshot?.index === moment.index;
  const isNamed = [before, after].some(
    (row) => row?.fingerprint === artifact.fingerprint && row.name === artifact.name,
  );
  return isNamed && (moment === null || snapshot === undefined || snapshot.index === moment.index);
}

/** The last instant before the present state at which the environment was compliant. */
async function lastCompliantOf({ table }: Pick<Stores, 'table'>, org: Organization, head: EnvironmentHead) {
  if (head.index === 0 || head.state === true) return null;
  const items = await table.query({
    pk: snapshotPartition(org.id, head.id),
    prefix: 'V#',
    newestFirst: true,
    limit: MOST_STATES,
  });
  const end = items.map((item) => StateChange.parse(item)).find(({ was }) => was === true);
  return end ? minus(end.at, 1) : null;
}
