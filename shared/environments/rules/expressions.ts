import { AnyEnvironmentName, type EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { before, dateTime, type Unit } from './instants.ts';
import { invalidExpression, severalMarks, snapshotOutOfRange } from './sentences.ts';

/** A point in the history of an environment (rules/snapshot-expressions.md#single-snapshot). */
export type Point =
  | { kind: 'index'; index: number }
  /** Number of snapshots before the newest; 0 = the newest. */
  | { kind: 'behind'; behind: number }
  | { kind: 'instant'; at: Micros };

export const NEWEST: Point = { kind: 'behind', behind: 0 };

export interface History {
  /** Number of snapshots, which is also the number of the newest. */
  count: number;
  /**
   * Number of the newest snapshot made at or before an instant; 0 if there is none. Callers choose the instant, so it
   * may be far in the past or in the future.
   */
  indexAt: (at: Micros) => number | Promise<number>;
}

/** A history without snapshots. With it expressions are checked before the environment is looked up. */
export const NO_HISTORY: History = { count: 0, indexAt: () => 0 };

export interface SnapshotExpression {
  point: Point;
  /** The text after the environment's name when the expression is shown: `#5`, `~2`, `@{…}`; empty for a bare name. */
  suffix: string;
}

// Numbers with more than 15 digits are not exact, and no snapshot can have them.
const INDEX = /^#?(\d{1,15})$/;
const FROM_END = /^-(\d{1,15})$/;
const BEHIND = /^~(\d{1,15})?$/;
const TIME = /^@\{([^{}]*)\}$/;
const AGO = /^0{0,14}([1-9]\d{0,14})\.(minute|hour|day|week|month)s?\.ago$/;

const DATE =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))';
const TIME_OF_DAY = String.raw`([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?Z?`;
const SPAN_BACK = String.raw`0{0,14}[1-9][0-9]{0,14}\.(minute|hour|day|week|month)s?\.ago`;
const AT = String.raw`@\{(now|${SPAN_BACK}|${DATE}T${TIME_OF_DAY})\}`;
const POINT = `(#?[0-9]{1,15}|-[0-9]{1,15}|~([0-9]{1,15})?|${AT})`;
const END = `([nN][oO][wW]|${POINT})`;

/** Patterns of expressions for the OpenAPI document. The parsers below decide. */
export const POINT_PATTERN = `^${POINT}$`;
export const SNAPPISH_PATTERN = `^[^#~@]+(#[0-9]{1,15}|~([0-9]{1,15})?|${AT})?$`;
export const INTERVAL_PATTERN = String.raw`^ *${END}? *(\.\. *${END}? *)?$`;

/**
 * Parses `N`, `#N`, `-N`, `~N`, `~`, `@{date and time}`, `@{N.<units>.ago}` or `@{now}`
 * (rules/snapshot-expressions.md#single-snapshot).
 * @returns undefined if the text has none of these forms
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
  // The pattern lets only the names of units through.
  if (count !== undefined) return { kind: 'instant', at: before(now, Number(count), unit as Unit) };
  const at = dateTime(text);
  return at === undefined ? undefined : { kind: 'instant', at };
}

/** The snapshot number of a point. It may lie outside the history. */
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
 * Parses the path segment after an environment's name (rules/snapshot-expressions.md#single-snapshot).
 * @param segment the decoded segment
 * @throws ServiceError `invalid` for a text that is no expression (rules/snapshot-expressions.md#malformed-expressions)
 */
export function parseSegment(segment: string, now: Micros): SnapshotExpression {
  const suffix = /^-?\d+$/.test(segment) ? `#${segment}` : segment;
  return { point: pointOf(segment, segment, now), suffix };
}

/**
 * Parses an environment's name with an expression: `<env>`, `<env>#N`, `<env>~N`, `<env>@{…}`
 * (rules/snapshot-expressions.md#name-with-expression). Names contain none of the three marks, so the first mark ends the
 * name.
 * @throws ServiceError `invalid` for a text that is no expression (rules/snapshot-expressions.md#malformed-expressions)
 */
export function parseSnappish(text: string, now: Micros): SnapshotExpression & { env: EnvironmentName } {
  const mark = text.search(/[#~@]/);
  const env = mark < 0 ? text : text.slice(0, mark);
  const suffix = text.slice(env.length);
  if (env === '') throw invalidExpression({ expression: text });
  return { env: AnyEnvironmentName.parse(env), suffix, point: suffix === '' ? NEWEST : pointOf(suffix, text, now) };
}

/** @param whole the expression as the caller wrote it */
function pointOf(text: string, whole: string, now: Micros): Point {
  if ((text.match(/[#~@]/g) ?? []).length > 1) throw severalMarks({ expression: whole });
  const point = readPoint(text, now);
  if (!point) throw invalidExpression({ expression: whole });
  return point;
}

/**
 * Resolves an expression to a snapshot number within the history.
 * @param env name of the environment, as the caller wrote it
 * @throws ServiceError `not-found` if the history has no such snapshot (rules/snapshot-expressions.md#out-of-range)
 */
export async function resolveExpression(
  { point, suffix }: SnapshotExpression,
  { org, env, ...history }: History & { org: string; env: string },
): Promise<number> {
  const index = await indexOf(point, history);
  if (index >= 1 && index <= history.count) return index;
  throw snapshotOutOfRange({ org, env, label: env + suffix, index, count: history.count });
}
