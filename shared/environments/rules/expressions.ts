import type { Micros } from '#shared/base/time.ts';
import { before, dateTime, type Unit } from './instants.ts';
import { invalidExpression, severalMarks, snapshotOutOfRange } from './sentences.ts';

/** One place in the history of an environment, as somebody names it (semantics §13.1). */
export type Point =
  /** Number of a snapshot, from 1. */
  | { kind: 'index'; index: number }
  /** So many snapshots before the newest; 0 = the newest. */
  | { kind: 'behind'; behind: number }
  | { kind: 'instant'; at: Micros };

export const NEWEST: Point = { kind: 'behind', behind: 0 };

/** The numbered snapshots of an environment. */
export interface History {
  /** How many there are, and so the number of the newest. */
  count: number;
  /**
   * Number of the newest snapshot made at or before an instant; 0 when there is none. The instant is whatever the
   * caller wrote, years far from now included.
   */
  indexAt: (at: Micros) => number | Promise<number>;
}

/** Of an environment without snapshots: by it a request's texts are checked before any environment is looked up. */
export const NO_HISTORY: History = { count: 0, indexAt: () => 0 };

/** A snapshot of an environment, as a request names it. */
export interface SnapshotExpression {
  point: Point;
  /** What follows the environment's name when the expression is shown: `#5`, `~2`, `@{…}`, nothing for the bare name. */
  suffix: string;
}

// More digits than an exact number has name no snapshot that could exist.
const INDEX = /^#?(\d{1,15})$/;
const FROM_END = /^-(\d{1,15})$/;
const BEHIND = /^~(\d{1,15})?$/;
const TIME = /^@\{([^{}]*)\}$/;
const AGO = /^(\d{1,15})\.(minute|hour|day|week|month)s?\.ago$/;

/**
 * Reads `N`, `#N`, `-N`, `~N`, `~`, `@{date and time}`, `@{N.<units>.ago}` or `@{now}` (semantics §13.1).
 * @returns undefined when the text is none of them
 */
export function readPoint(text: string, now: Micros): Point | undefined {
  const index = INDEX.exec(text)?.[1];
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  const fromEnd = FROM_END.exec(text)?.[1];
  if (fromEnd !== undefined) return { kind: 'behind', behind: Number(fromEnd) - 1 };
  const behind = BEHIND.exec(text);
  if (behind) return { kind: 'behind', behind: Number(behind[1] ?? 1) };
  const time = TIME.exec(text)?.[1];
  return time === undefined ? undefined : readTime(time, now);
}

function readTime(text: string, now: Micros): Point | undefined {
  if (text === 'now') return NEWEST;
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count !== undefined) {
    return Number(count) > 0 ? { kind: 'instant', at: before(now, Number(count), unit as Unit) } : undefined;
  }
  const at = dateTime(text);
  return at === undefined ? undefined : { kind: 'instant', at };
}

/** The number that a point means; it may lie outside the history. */
export async function indexOf(point: Point, { count, indexAt }: History): Promise<number> {
  switch (point.kind) {
    case 'index':
      return point.index;
    case 'behind':
      return count - point.behind;
    case 'instant':
      return indexAt(point.at);
  }
}

/**
 * Reads the path segment after an environment's name (wire environments §4.1).
 * @param segment decoded
 * @throws ApiError 400 for a text that is no expression
 */
export function parseSegment(segment: string, now: Micros): SnapshotExpression {
  const suffix = /^-?\d+$/.test(segment) ? `#${segment}` : segment;
  return { point: pointOf(segment, segment, now), suffix };
}

/**
 * Reads an environment's name with an expression behind it: `<env>`, `<env>#N`, `<env>~N`, `<env>@{…}`. Names contain
 * none of the three marks, so the first one ends the name.
 * @throws ApiError 400 for a text that is no expression
 */
export function parseSnappish(text: string, now: Micros): SnapshotExpression & { env: string } {
  const mark = text.search(/[#~@]/);
  const env = mark < 0 ? text : text.slice(0, mark);
  const suffix = text.slice(env.length);
  if (env === '') throw invalidExpression({ expression: text });
  return { env, suffix, point: suffix === '' ? NEWEST : pointOf(suffix, text, now) };
}

/** @param whole the expression as the caller wrote it */
function pointOf(text: string, whole: string, now: Micros): Point {
  if ((text.match(/[#~@]/g) ?? []).length > 1) throw severalMarks({ expression: whole });
  const point = readPoint(text, now);
  if (!point) throw invalidExpression({ expression: whole });
  return point;
}

/**
 * The number of the snapshot that an expression means.
 * @param env name of the environment, as the caller wrote it
 * @throws ApiError 404 when the history has no such snapshot
 */
export async function resolveExpression(
  { point, suffix }: SnapshotExpression,
  { org, env, ...history }: History & { org: string; env: string },
): Promise<number> {
  const index = await indexOf(point, history);
  if (index >= 1 && index <= history.count) return index;
  throw snapshotOutOfRange({ org, env, label: env + suffix, index, count: history.count });
}
