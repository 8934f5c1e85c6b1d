import type { FlowId, TrailId } from '#shared/base/ids.ts';
import { type ArtifactIdentity, artifactKey, byFingerprint } from './running.ts';

/** A running artifact with the parts of its evaluation by which two snapshots are compared. */
export interface EvaluatedArtifact extends ArtifactIdentity {
  /** When each instance started, ascending, in seconds since the epoch. */
  started: readonly number[];
  /** Ids of the flows that have it, each with its latest trail, in any order. */
  flows: readonly { flow: FlowId; trail: TrailId }[];
  /** Digest of the policy decisions about it. */
  decisions: string;
  /** Null = unknown, because no policy is attached. */
  compliant: boolean | null;
}

/** How an artifact differs from the snapshot before (rules/environments.md#annotations). */
export type AnnotationType =
  | 'started-compliant'
  | 'started-non-compliant'
  | 'started'
  | 'updated-provenance'
  | 'changed'
  | 'unchanged'
  | 'exited';

export interface Annotation {
  type: AnnotationType;
  /** Instances in the snapshot before; 0 = it did not run. */
  was: number;
  /** Instances in this snapshot; 0 = it no longer runs. */
  now: number;
}

/** Types of events, in the order in which the events of one snapshot stand (rules/environments.md#events). */
export const EVENT_TYPES = ['started', 'exited', 'changed', 'updated-provenance'] as const;
type EventType = (typeof EVENT_TYPES)[number];

interface AnnotatedRow<R> {
  row: R;
  annotation: Annotation;
}

export interface ArtifactEvent<R> extends AnnotatedRow<R> {
  type: EventType;
  /** Text for people, with the wording of rules/environments.md#events. */
  description: string;
}

interface Comparison<R> {
  /** Rows that run now, in the order of rules/environments.md#row-order. */
  running: AnnotatedRow<R>[];
  /** Rows of the snapshot before that no longer run, as they were stored then. */
  exited: AnnotatedRow<R>[];
  /** Whether a snapshot has to be stored (rules/environments.md#new-snapshot). */
  needsSnapshot: boolean;
  /** One per row that is not `unchanged`: by type, then by fingerprint and name. */
  events: ArtifactEvent<R>[];
}

/**
 * Compares what runs with the newest snapshot (rules/environments.md#comparison). Instance counts and start times alone
 * make no difference. The order of either side does not matter.
 * @param before rows of the newest snapshot, without those that it shows as exited; null = there is no snapshot
 */
export function compareRunning<R extends EvaluatedArtifact>(
  before: readonly R[] | null,
  now: readonly R[],
): Comparison<R> {
  const old = new Map((before ?? []).map((row) => [artifactKey(row), row]));
  const running = now.map((row) => annotated(row, old.get(artifactKey(row))));
  const current = new Set(now.map(artifactKey));
  const exited = [...old]
    .filter(([key]) => !current.has(key))
    .map(([, row]): AnnotatedRow<R> => ({ row, annotation: { type: 'exited', was: row.started.length, now: 0 } }));
  const events = snapshotEvents([...running, ...exited]);
  return {
    running: running.sort(inSnapshot),
    exited: exited.sort(inSnapshot),
    needsSnapshot: before === null || events.length > 0,
    events,
  };
}

/** The events of a snapshot: one per row that is not `unchanged`, ordered by type, then by fingerprint and name. */
export const snapshotEvents = <R extends ArtifactIdentity>(rows: readonly AnnotatedRow<R>[]): ArtifactEvent<R>[] =>
  rows.flatMap(eventOf).sort(byType);

function annotated<R extends EvaluatedArtifact>(row: R, old: R | undefined): AnnotatedRow<R> {
  const type = old ? changeType(old, row) : startType(row.compliant);
  return { row, annotation: { type, was: old?.started.length ?? 0, now: row.started.length } };
}

function startType(compliant: boolean | null): AnnotationType {
  if (compliant === null) return 'started';
  return compliant ? 'started-compliant' : 'started-non-compliant';
}

function changeType(old: EvaluatedArtifact, row: EvaluatedArtifact): AnnotationType {
  if (!sameFlows(old.flows, row.flows)) return 'updated-provenance';
  return old.compliant === row.compliant && old.decisions === row.decisions ? 'unchanged' : 'changed';
}

function sameFlows(a: EvaluatedArtifact['flows'], b: EvaluatedArtifact['flows']): boolean {
  const key = ({ flow, trail }: { flow: string; trail: string }) => `${flow}/${trail}`;
  const [left, right] = [new Set(a.map(key)), new Set(b.map(key))];
  return left.size === right.size && left.isSubsetOf(right);
}

function eventOf<R>({ row, annotation }: AnnotatedRow<R>): ArtifactEvent<R>[] {
  const type = eventType(annotation.type);
  return type === null ? [] : [{ type, row, annotation, description: describe(type, annotation) }];
}

function eventType(type: AnnotationType): EventType | null {
  switch (type) {
    case 'unchanged':
      return null;
    case 'started':
    case 'started-compliant':
    case 'started-non-compliant':
      return 'started';
    case 'exited':
    case 'changed':
    case 'updated-provenance':
      return type;
  }
}

function describe(type: EventType, { was, now }: Annotation): string {
  const instances = (count: number) => `${count} instance${count === 1 ? '' : 's'}`;
  if (type === 'started') return `${instances(now)} started running (from ${was} to ${now})`;
  if (type === 'exited') return `${instances(was)} stopped running (from ${was} to ${now})`;
  return `${instances(now)} changed`;
}

const byType = <R extends ArtifactIdentity>(a: ArtifactEvent<R>, b: ArtifactEvent<R>): number =>
  EVENT_TYPES.indexOf(a.type) - EVENT_TYPES.indexOf(b.type) || byFingerprint(a.row, b.row);

/** Order of rows (rules/environments.md#row-order): new or changed rows, then unchanged ones, both with the newest first. */
const inSnapshot = <R extends EvaluatedArtifact>(a: AnnotatedRow<R>, b: AnnotatedRow<R>): number =>
  Number(a.annotation.type === 'unchanged') - Number(b.annotation.type === 'unchanged') ||
  (b.row.started[0] ?? 0) - (a.row.started[0] ?? 0) ||
  byFingerprint(a.row, b.row);
