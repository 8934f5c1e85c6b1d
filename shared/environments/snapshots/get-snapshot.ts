import type { Id } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type Provenance, readProvenance } from '#shared/evidence/provenance.ts';
import { refuseLongAnswer } from '../limits/shown-limit.ts';
import { isRunning } from '../rules/content.ts';
import { type DiffSide, environmentDiff } from '../rules/diff.ts';
import { parseSegment, parseSnappish, type SnapshotExpression } from '../rules/expressions.ts';
import type { PresentState } from '../rules/reports/present-state.ts';
import { readPresentState } from '../settings/read-present-state.ts';
import { type FoundSnapshot, findSnapshot } from './find-snapshot.ts';
import { judgedParts, resolveContent, type ShownContent, type ShownRow } from './resolve-content.ts';

/** A snapshot with what ran in it. */
export interface ShownSnapshot extends FoundSnapshot, ShownContent {
  /** The verdict of the newest snapshot as it is now, and the stored one of all others. */
  present: PresentState;
}

/** The snapshot that an expression means, as {@link findSnapshot}; without rows if its content was erased. */
async function readShown(
  stores: Stores,
  org: Organization,
  env: EnvironmentName,
  expression: SnapshotExpression,
): Promise<ShownSnapshot> {
  const found = await findSnapshot(stores, org, env, expression);
  const [content, present] = await Promise.all([
    resolveContent(stores, org.id, found),
    presentStateOf(stores, org, found, expression),
  ]);
  return { ...found, ...content, present };
}

/** Only the newest snapshot has a present state. Whoever asks for an instant asks for the verdict of that time. */
async function presentStateOf(
  { table, clock }: Stores,
  org: Organization,
  { head, parts: { summary, next } }: FoundSnapshot,
  { point }: SnapshotExpression,
): Promise<PresentState> {
  if (next !== null || point.kind === 'instant') return { state: summary.state, reason: null };
  return readPresentState(table, org.id, { ...head, state: summary.state }, clock.now());
}

/**
 * Reads a snapshot with its artifacts (rules/environments.md#snapshot-detail).
 *
 * @param env name of the environment, as the caller wrote it
 * @param point the expression in a path: `5`, `-1`, `~2`, `@{…}`
 * @returns with the provenance of the reports that its rows name, by id
 * @throws ServiceError as {@link findSnapshot}; `invalid` for a text that is no expression, `answer-too-large`
 */
export async function getSnapshot(
  stores: Stores,
  org: Organization,
  env: EnvironmentName,
  point: string,
): Promise<ShownSnapshot & { provenance: Map<Id, Provenance> }> {
  const shown = await readShown(stores, org, env, parseSegment(point, stores.clock.now()));
  refuseLongAnswer(shown.rows.flatMap(judgedParts));
  const reports = shown.rows.flatMap(({ flows, replaced }) => [...flows, ...Object.values(replaced)]);
  const ids = reports.map(({ report }) => report);
  return { ...shown, provenance: await readProvenance(stores, org.id, ids) };
}

interface RowSelection {
  /** Only running artifacts with this verdict; null = unknown. */
  state?: boolean | null | undefined;
  /** Text that the name contains, in any case, or with which the fingerprint begins. */
  search?: string | undefined;
  /** All rows without a page. */
  page?: { page: number; perPage: number } | undefined;
}

/**
 * Lists the artifacts of a snapshot (rules/environments.md#snapshot-rows). Other arguments and errors are those of
 * {@link getSnapshot}.
 *
 * @returns the snapshot with all its rows, those of the page, and how many rows are selected in all
 */
export async function listSnapshotArtifacts(
  stores: Stores,
  org: Organization,
  env: EnvironmentName,
  point: string,
  { state, search = '', page }: RowSelection,
): Promise<{ snapshot: ShownSnapshot; onPage: ShownRow[]; total: number }> {
  const snapshot = await readShown(stores, org, env, parseSegment(point, stores.clock.now()));
  const text = search.toLowerCase();
  const wanted = snapshot.rows.filter(
    (row) =>
      (state === undefined || (isRunning(row) && row.compliant === state)) &&
      (row.name.toLowerCase().includes(text) || row.fingerprint.startsWith(text)),
  );
  const onPage = page ? wanted.slice((page.page - 1) * page.perPage, page.page * page.perPage) : wanted;
  return { snapshot, onPage, total: wanted.length };
}

/**
 * Compares what runs in two snapshots (rules/environments.md#diff).
 *
 * @param names names of environments with expressions: `prod`, `prod#5`
 * @throws ServiceError as {@link findSnapshot}, `invalid` for a text that is no expression
 */
export async function diffSnapshots(stores: Stores, org: Organization, names: readonly [string, string]) {
  const now = stores.clock.now();
  const asked = [parseSnappish(names[0], now), parseSnappish(names[1], now)] as const;
  const [first, second] = await allInOrder([
    readShown(stores, org, asked[0].env, asked[0]),
    readShown(stores, org, asked[1].env, asked[1]),
  ]);
  const running = [...first.rows, ...second.rows].filter(isRunning);
  const reports = running.flatMap(({ flows: [primary] }) => primary?.report ?? []);
  const provenance = await readProvenance(stores, org.id, reports);
  return environmentDiff(sideOf(first, provenance), sideOf(second, provenance));
}

const sideOf = ({ head, parts, rows }: ShownSnapshot, provenance: ReadonlyMap<Id, Provenance>): DiffSide => ({
  env: head.name,
  index: parts.summary.index,
  rows: rows.filter(isRunning).map(({ name, fingerprint, started, pods, flows: [primary] }) => ({
    name,
    fingerprint,
    started,
    ...(pods && { pods }),
    flow: primary?.name ?? null,
    commitUrl: (primary && provenance.get(primary.report)?.commitUrl) ?? null,
  })),
});
