import { nameWithoutTag } from '#shared/base/reasons/artifact-name.ts';
import type { SnapshotRow } from '../content.ts';
import { artifactKey, compareText } from '../running.ts';

/** The parts of a running row that decide how two instants of an environment differ. */
export type ComparedRow = Pick<SnapshotRow, 'name' | 'fingerprint' | 'environment' | 'started' | 'compliant' | 'flows'>;

/**
 * How an artifact differs (rules/environments.md#changes-between-instants). In the order of answers, after what is not
 * compliant.
 */
export const CHANGE_KINDS = ['replaced', 'started', 'stopped', 'judged', 'scaled'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface Change<R extends ComparedRow> {
  kind: ChangeKind;
  /** Null if it started. */
  before: R | null;
  /** Null if it stopped. */
  after: R | null;
}

/**
 * Compares what ran at two instants. An artifact that only ran at the first instant and one that only ran at the second
 * are a pair if they have the same name without tag and digest, or else the same name in the template of the same flow.
 *
 * @param before rows that ran at the first instant
 * @param after rows that ran at the second instant
 * @returns what is not compliant now first, then by kind, then by name
 */
export function changesBetween<R extends ComparedRow>(before: readonly R[], after: readonly R[]): Change<R>[] {
  const [left, right] = [byKey(before), byKey(after)];
  const gone = [...left].flatMap(([key, row]) => (right.has(key) ? [] : [row]));
  const come = [...right].flatMap(([key, row]) => (left.has(key) ? [] : [row]));
  const named = pairsBy(gone, come, nameKey);
  const slotted = pairsBy(named.gone, named.come, slotKey);
  const stayed = [...right].flatMap(([key, row]) => stayedChange(left.get(key), row));
  const changes: Change<R>[] = [
    ...[...named.pairs, ...slotted.pairs].map((pair) => ({ kind: 'replaced' as const, ...pair })),
    ...slotted.come.map((row) => ({ kind: 'started' as const, before: null, after: row })),
    ...slotted.gone.map((row) => ({ kind: 'stopped' as const, before: row, after: null })),
    ...stayed,
  ];
  return changes.sort(
    (a, b) =>
      Number(b.after?.compliant === false) - Number(a.after?.compliant === false) ||
      CHANGE_KINDS.indexOf(a.kind) - CHANGE_KINDS.indexOf(b.kind) ||
      compareText(keyOf(a), keyOf(b)),
  );
}

/** A row of the present, or of the past if the artifact stopped. */
const rowOf = <R extends ComparedRow>({ before, after }: Change<R>): R | null => after ?? before;

function keyOf<R extends ComparedRow>(change: Change<R>): string {
  const row = rowOf(change);
  return row === null ? '' : `${nameWithoutTag(row.name)} ${artifactKey(row)}`;
}

const byKey = <R extends ComparedRow>(rows: readonly R[]): Map<string, R> =>
  new Map(rows.map((row) => [artifactKey(row), row]));

function stayedChange<R extends ComparedRow>(before: R | undefined, after: R): Change<R>[] {
  if (!before) return [];
  if (before.compliant !== after.compliant) return [{ kind: 'judged', before, after }];
  return before.started.length === after.started.length ? [] : [{ kind: 'scaled', before, after }];
}

const nameKey = ({ name, environment }: ComparedRow): string => `${environment ?? ''}/${nameWithoutTag(name)}`;

/** Undefined without provenance: then nothing says which artifact the row replaced. */
const slotKey = ({ flows: [primary], environment }: ComparedRow): string | undefined =>
  primary && `${environment ?? ''}/${primary.flow}/${primary.slot}`;

/** Pairs rows with the same key, those that started first with each other. */
function pairsBy<R extends ComparedRow>(
  gone: readonly R[],
  come: readonly R[],
  key: (row: R) => string | undefined,
): { pairs: { before: R; after: R }[]; gone: R[]; come: R[] } {
  const waiting = Map.groupBy(inOrder(come), key);
  const pairs: { before: R; after: R }[] = [];
  const left: R[] = [];
  for (const before of inOrder(gone)) {
    const known = key(before);
    const after = known === undefined ? undefined : waiting.get(known)?.shift();
    if (after) pairs.push({ before, after });
    else left.push(before);
  }
  return { pairs, gone: left, come: [...waiting.values()].flat() };
}

const inOrder = <R extends ComparedRow>(rows: readonly R[]): R[] =>
  rows.toSorted((a, b) => (a.started[0] ?? 0) - (b.started[0] ?? 0) || compareText(artifactKey(a), artifactKey(b)));
