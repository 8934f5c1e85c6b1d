import { type Fingerprint, type Id, isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type EventsOf, eventItems, type RowEvent, trailItems } from '#shared/environments/records/event-items.ts';
import {
  ANY_FLOW,
  flowRunsItem,
  noteRunning,
  type RunningChange,
  unvouchedItem,
} from '#shared/environments/records/running.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { noteRuntimeMonth } from '#shared/evidence/records/runtime-events.ts';
import { noteDeployed } from '#shared/series/activity.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { EnvironmentMemory } from './environment-memory.ts';

/** Reads and writes of one kind under way at the same time. */
const WIDTH = 16;

/** A stretch of a snapshot's events: what the relay deals with at once (design §2.7). */
export interface Piece extends EventsOf {
  events: readonly RowEvent[];
  /** Number of the first of them. */
  first: number;
  /** What of the snapshot changed where fingerprints run; null for a logical environment, in which nothing runs itself. */
  changes: ReadonlyMap<Fingerprint, RunningChange> | null;
}

/** The reports that vouch for the artifacts of a piece, by id. */
export async function reportsOf(
  table: Table,
  org: OrganizationId,
  events: readonly RowEvent[],
): Promise<Map<Id, ArtifactRecord>> {
  const ids = new Set(events.flatMap(({ row }) => row.flows.map(({ report }) => report)));
  return new Map((await readArtifacts(table, org, [...ids])).map((record) => [record.id, record]));
}

/**
 * Has the effects of a stretch of events that anybody reads later: lists of events, where fingerprints run, what trails
 * show, what searches find. All of them are the same each time, so that a stretch may be dealt with again.
 */
export async function havePiece(
  table: Table,
  memory: EnvironmentMemory,
  piece: Piece,
  reports: ReadonlyMap<Id, ArtifactRecord>,
): Promise<void> {
  const lists = piece.events.flatMap((event, i) => eventItems(piece, piece.first + i, event, reposOf(event, reports)));
  await Promise.all([
    putUnique(table, [...lists, ...unvouchedItems(piece)]),
    noteTrails(table, memory, piece),
    noteWhereItRuns(table, memory, piece),
    noteDeployments(table, piece),
  ]);
}

const reposOf = ({ row }: RowEvent, reports: ReadonlyMap<Id, ArtifactRecord>): Id[] =>
  row.flows.flatMap(({ report }) => reports.get(report)?.repo ?? []);

/** What starts without a report is found by its fingerprint from now on, as what was reported is by its first report. */
function unvouchedItems({ org, snapshot, events, changes }: Piece): Item[] {
  if (!changes) return [];
  const started = events.flatMap(({ type, row }) => (type === 'started' ? [row] : []));
  return started.flatMap(({ fingerprint, flows, name }) =>
    fingerprint !== '' && flows.length === 0 ? [unvouchedItem(org, { fingerprint, name, at: snapshot.at })] : [],
  );
}

async function noteTrails(table: Table, memory: EnvironmentMemory, piece: Piece): Promise<void> {
  if (!piece.changes) return;
  const entries = piece.events.flatMap((event) => trailItems(piece, event));
  const trails = new Map(entries.map(({ flow, trail }) => [`${flow}#${trail}`, { flow, trail }]));
  await inParallel(trails.values(), WIDTH, (trail) =>
    noteRuntimeMonth(table, piece.org, trail, piece.snapshot.at, memory.runtimeMonths),
  );
  await putUnique(
    table,
    entries.map(({ item }) => item),
  );
}

async function noteWhereItRuns(table: Table, memory: EnvironmentMemory, piece: Piece): Promise<void> {
  const { org, environment, snapshot, events, changes } = piece;
  if (!changes) return;
  const rows = events.map(({ row }) => row);
  const flows = new Set(rows.flatMap((row) => row.flows.map(({ flow }) => flow)));
  const items = ([ANY_FLOW, ...flows] as const)
    .map((flow) => flowRunsItem(org, flow, environment.id))
    .filter(({ pk, sk }) => !memory.flowRuns.has(`${pk}#${sk}`));
  await table.putMany(items);
  for (const { pk, sk } of items) memory.flowRuns.add(`${pk}#${sk}`);
  const changed = new Set(
    rows.flatMap(({ fingerprint }) => (fingerprint === '' ? [] : (changes.get(fingerprint) ?? []))),
  );
  await inParallel(changed, WIDTH, (change) => noteRunning(table, org, environment.id, snapshot, change));
}

async function noteDeployments(table: Table, { org, snapshot, events, changes }: Piece): Promise<void> {
  if (!changes) return;
  const started = events.filter(({ type }) => type === 'started');
  const flows = new Set(started.flatMap(({ row }) => row.flows.map(({ flow }) => flow)));
  await inParallel(flows, WIDTH, (flow) => noteDeployed(table, org, flow, snapshot.at));
}

/** A batch may name an item once. Rows of one snapshot differ, so that only the same event can come twice. */
const putUnique = (table: Table, items: readonly Item[]): Promise<void> =>
  table.putMany([...new Map(items.map((item) => [`${item.pk}\n${item.sk}`, item])).values()]);

/** Where fingerprints began or ceased to run with a snapshot: under another name they may run on. */
export function runningChanges(
  events: readonly RowEvent[],
  rows: readonly RowEvent['row'][],
): Map<Fingerprint, RunningChange> {
  const concerned = new Set(events.map(({ row }) => row.fingerprint).filter(isKnownFingerprint));
  const ran = new Set<string>();
  const runs = new Set<string>();
  for (const { fingerprint, annotation } of rows) {
    if (annotation.was > 0) ran.add(fingerprint);
    if (annotation.now > 0) runs.add(fingerprint);
  }
  const changed = [...concerned].filter((fingerprint) => ran.has(fingerprint) !== runs.has(fingerprint));
  return new Map(changed.map((fingerprint) => [fingerprint, { fingerprint, running: runs.has(fingerprint) }]));
}
