import type { FlowId, TrailId } from '#shared/base/ids.ts';
import { type ArtifactIdentity, artifactKey, byFingerprint } from './running.ts';

/** One running artifact with what its evaluation found, as far as two snapshots are compared by it. */
export interface EvaluatedArtifact extends ArtifactIdentity {
  /** When each instance started, ascending, in seconds since the epoch. */
  started: readonly number[];
  /** Ids of the flows and trails that vouch for it, in any order. */
  flows: readonly { flow: FlowId; trail: TrailId }[];
  /** Digest of the policy decisions about it. */
  decisions: string;
  /** Null: unknown, for want of policies. */
  compliant: boolean | null;
}

/** What became of an artifact since the snapshot before (semantics §5.5; wire environments §13 rows 21, 22). */
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
  /** Instances in the snapshot before, 0 = it did not run. */
  was: number;
  /** Instances in this snapshot, 0 = it no longer runs. */
  now: number;
}

/** Types of events (semantics §5.8), in the order in which one snapshot's events stand. */
export const EVENT_TYPES = ['started', 'exited', 'changed', 'updated-provenance'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface AnnotatedRow<R> {
  row: R;
  annotation: Annotation;
}

export interface ArtifactEvent<R> extends AnnotatedRow<R> {
  type: EventType;
  /** Text for people, as wire environments §5.3 words it. */
  description: string;
}

export interface Comparison<R> {
  /** What runs now, started and changed artifacts first; within a group the newest first. */
  running: AnnotatedRow<R>[];
  /** What ran in the snapshot before and does no more: the row that was stored then. */
  exited: AnnotatedRow<R>[];
  /** Whether anything that carries compliance meaning differs, or there is no snapshot yet (semantics §5.3). */
  needsSnapshot: boolean;
  /** One per row that is not `unchanged`: by type, then by fingerprint and name. */
  events: ArtifactEvent<R>[];
}

/**
 * Compares what runs with the latest snapshot (wire environments §5.2). Instance counts and start times alone make no
 * difference. Neither side's order matters.
 * @param before rows of the latest snapshot that ran in it, so without those that it shows as exited; null: none yet
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

/** The events of one snapshot from its rows: one per row that is not `unchanged`, by type, then by fingerprint and name. */
export const snapshotEvents = <R extends ArtifactIdentity>(rows: readonly AnnotatedRow<R>[]): ArtifactEvent<R>[] =>
  rows.flatMap(eventOf).sort(byType);

function annotated<R extends EvaluatedArtifact>(row: R, old: R | undefined): AnnotatedRow<R> {
  const type = old ? sinceThen(old, row) : startOf(row.compliant);
  return { row, annotation: { type, was: old?.started.length ?? 0, now: row.started.length } };
}

function startOf(compliant: boolean | null): AnnotationType {
  if (compliant === null) return 'started';
  return compliant ? 'started-compliant' : 'started-non-compliant';
}

function sinceThen(old: EvaluatedArtifact, row: EvaluatedArtifact): AnnotationType {
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

/** Order of rows in a snapshot (wire environments §4.3): what is new, what stayed; newest first within both. */
const inSnapshot = <R extends EvaluatedArtifact>(a: AnnotatedRow<R>, b: AnnotatedRow<R>): number =>
  Number(a.annotation.type === 'unchanged') - Number(b.annotation.type === 'unchanged') ||
  (b.row.started[0] ?? 0) - (a.row.started[0] ?? 0) ||
  byFingerprint(a.row, b.row);
