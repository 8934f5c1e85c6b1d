import { type Fingerprint, type Id, isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import {
  type EventsOf,
  eventItems,
  type RowEvent,
  startItems,
  trailItems,
} from '#shared/environments/records/event-items.ts';
import {
  ANY_FLOW,
  flowRunsItem,
  type RunningChange,
  recordRunning,
  unvouchedItem,
} from '#shared/environments/records/running.ts';
import { type RunningVerdict, runningPastItem } from '#shared/environments/records/running-past.ts';
import { provenanceOf } from '#shared/evidence/provenance.ts';
import { type ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { recordDeployed } from '#shared/evidence/records/flows.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { EnvironmentMemory } from './environment-memory.ts';

/** How many reads or writes of one kind run in parallel. */
const WIDTH = 16;

/** Consecutive events of a snapshot whose effects are applied together (rules/environments.md#effects-of-a-snapshot). */
interface Piece extends EventsOf {
  events: readonly RowEvent[];
  /** Number of the first event. */
  first: number;
  /** Fingerprints that started or stopped with the snapshot; null for a logical environment, in which nothing runs. */
  changes: ReadonlyMap<Fingerprint, RunningChange> | null;
  /** What the snapshot changed about fingerprints, with their verdicts; null for a logical environment. */
  runs: ReadonlyMap<Fingerprint, RunningVerdict> | null;
}

/** Reads the artifact reports that the rows of events name, by id. */
export async function readReports(table: Table, org: OrganizationId, events: readonly RowEvent[]) {
  const ids = new Set(events.flatMap(({ row }) => row.flows.map(({ report }) => report)));
  return new Map((await readArtifacts(table, org, [...ids])).map((record) => [record.id, record]));
}

/**
 * Writes the items that follow from the events of a piece: lists of events and of starts, where fingerprints run, events of trails,
 * entries for the search, the times of last deployments. A repeated call writes the same items, so a piece may be
 * applied twice.
 */
export async function applyPiece(
  table: Table,
  memory: EnvironmentMemory,
  piece: Piece,
  reports: ReadonlyMap<Id, ArtifactRecord>,
  committed: ReadonlyMap<Id, number>,
): Promise<void> {
  const lists = piece.events.flatMap((event, i) =>
    eventItems(piece, piece.first + i, event, reposOf(event, reports), timeOfCommit(event, committed)),
  );
  // Nothing starts in a logical environment.
  const starts = piece.changes ? piece.events.flatMap((event, i) => startItems(piece, piece.first + i, event)) : [];
  await Promise.all([
    putUnique(table, [...lists, ...starts, ...pastItems(piece), ...unvouchedItems(piece)]),
    recordInTrails(table, piece),
    recordWhereItRuns(table, memory, piece),
    recordDeployments(table, piece),
  ]);
}

/**
 * Reads when the commits of artifacts that started were made, in seconds, by id of the report. Reports without such a
 * time are left out.
 */
export async function readCommitTimes(
  objects: Objects,
  org: OrganizationId,
  events: readonly RowEvent[],
  reports: ReadonlyMap<Id, ArtifactRecord>,
): Promise<Map<Id, number>> {
  const started = events.flatMap(({ type, row: { flows } }) => (type === 'started' ? (flows[0]?.report ?? []) : []));
  const records = started.flatMap((id) => reports.get(id) ?? []);
  const provenance = await provenanceOf(objects, org, records);
  return new Map([...provenance].flatMap(([id, { commitInfo }]) => (commitInfo ? [[id, commitInfo.timestamp]] : [])));
}

function timeOfCommit({ type, row: { flows } }: RowEvent, committed: ReadonlyMap<Id, number>): number | null {
  const [primary] = flows;
  return type === 'started' && primary ? (committed.get(primary.report) ?? null) : null;
}

const reposOf = ({ row }: RowEvent, reports: ReadonlyMap<Id, ArtifactRecord>): Id[] =>
  row.flows.flatMap(({ report }) => reports.get(report)?.repo ?? []);

/** Items of the history of running. A fingerprint with several events has one item, which each of them writes alike. */
function pastItems({ org, environment, snapshot, events, runs }: Piece): Item[] {
  if (!runs) return [];
  return events.flatMap(({ row: { fingerprint } }) => {
    const verdict = fingerprint === '' ? undefined : runs.get(fingerprint);
    return verdict ? [runningPastItem(org, environment.id, snapshot, verdict)] : [];
  });
}

/** Items by which the search finds artifacts that started without provenance. Reported artifacts have their own items. */
function unvouchedItems({ org, snapshot, events, changes }: Piece): Item[] {
  if (!changes) return [];
  const started = events.flatMap(({ type, row }) => (type === 'started' ? [row] : []));
  return started.flatMap(({ fingerprint, flows, name }) =>
    fingerprint !== '' && flows.length === 0 ? [unvouchedItem(org, { fingerprint, name, at: snapshot.at })] : [],
  );
}

async function recordInTrails(table: Table, piece: Piece): Promise<void> {
  if (!piece.changes) return;
  await putUnique(
    table,
    piece.events.flatMap((event) => trailItems(piece, event)),
  );
}

async function recordWhereItRuns(table: Table, memory: EnvironmentMemory, piece: Piece): Promise<void> {
  const { org, environment, snapshot, events, first, changes } = piece;
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
  await inParallel(changed, WIDTH, (change) => {
    const start = events.findIndex(({ type, row }) => type === 'started' && row.fingerprint === change.fingerprint);
    return recordRunning(table, org, environment.id, { ...snapshot, start: first + start }, change);
  });
}

async function recordDeployments(table: Table, { org, snapshot, events, changes }: Piece): Promise<void> {
  if (!changes) return;
  const started = events.filter(({ type }) => type === 'started');
  const flows = new Set(started.flatMap(({ row }) => row.flows.map(({ flow }) => flow)));
  await inParallel(flows, WIDTH, (flow) => recordDeployed(table, org, flow, snapshot.at));
}

/** Writes each key once, since a batch may not name a key twice. Items with the same key are equal. */
const putUnique = (table: Table, items: readonly Item[]): Promise<void> =>
  table.putMany([...new Map(items.map((item) => [`${item.pk}\n${item.sk}`, item])).values()]);

/**
 * The fingerprints that started or stopped with a snapshot. A fingerprint that stops under one name and still runs under
 * another has not stopped.
 */
export function runningChanges(events: readonly RowEvent[], rows: readonly RowEvent['row'][]) {
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

/**
 * What the events of a snapshot change about fingerprints: that they start or stop, or their verdict while they run on. If a
 * fingerprint runs under several names, it has the worst of their verdicts.
 */
export function runningVerdicts(
  events: readonly RowEvent[],
  rows: readonly RowEvent['row'][],
): Map<Fingerprint, RunningVerdict> {
  const concerned = new Set(events.map(({ row }) => row.fingerprint).filter(isKnownFingerprint));
  const byFingerprint = Map.groupBy(rows, ({ fingerprint }) => fingerprint);
  return new Map(
    [...concerned].map((fingerprint) => {
      const all = byFingerprint.get(fingerprint) ?? [];
      const now = all.filter(({ annotation }) => annotation.now > 0);
      const ran = all.some(({ annotation }) => annotation.was > 0);
      const type = now.length === 0 ? 'stopped' : ran ? 'changed' : 'started';
      return [fingerprint, { fingerprint, type, compliant: worstVerdict(now.length === 0 ? all : now) }];
    }),
  );
}

function worstVerdict(rows: readonly Pick<RowEvent['row'], 'compliant'>[]): boolean | null {
  if (rows.some(({ compliant }) => compliant === false)) return false;
  return rows.some(({ compliant }) => compliant === null) ? null : true;
}
