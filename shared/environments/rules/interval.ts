import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { type History, indexOf, NEWEST, type Point, readPoint } from './expressions.ts';

/** Numbers of snapshots, both ends included; empty when `from` is above `to`. */
export interface IndexRange {
  from: number;
  to: number;
}

/**
 * The part of a range that one page shows, itself a range, so that any page costs the same (design §4.1). The newest
 * stand on page 1.
 * @param page from 1 on; one past the end is an empty range
 */
export function pageOfRange(
  { from, to }: IndexRange,
  { page, perPage, reverse }: { page: number; perPage: number; reverse: boolean },
): IndexRange {
  const before = (page - 1) * perPage;
  return reverse
    ? { from: from + before, to: Math.min(to, from + before + perPage - 1) }
    : { from: Math.max(from, to - before - perPage + 1), to: to - before };
}

const FORM = "Input should be one snapshot expression or two joined by '..'";

/**
 * The snapshots that an interval means (semantics §13.2). Its ends may come in either order and lie outside the
 * history: they are put in order and drawn in. No text means the whole history, a lone end goes up to the newest.
 * @throws ApiError 400 with `errors["query.interval"]` for a text that is no interval
 */
export async function resolveInterval(text: string | undefined, now: Micros, history: History): Promise<IndexRange> {
  const { count } = history;
  const points = readInterval(text?.trim() ?? '', now);
  if (points === null || count === 0) return { from: 1, to: count };
  const within = (index: number) => Math.min(Math.max(index, 1), count);
  const [one, other] = await Promise.all(points.map((point) => indexOf(point, history)));
  const [a, b] = [within(one ?? count), within(other ?? count)];
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

/** The two ends; null for the whole history. */
function readInterval(text: string, now: Micros): [Point, Point] | null {
  if (text === '') return null;
  const parts = text.split('..');
  const [from, to] = parts.map((part) => readEnd(part.trim(), now));
  if (parts.length > 2 || !from || (parts.length === 2 && !to)) throw invalidField('query.interval', FORM, text);
  return [from, to ?? NEWEST];
}

/** An omitted end is the newest, as `NOW` is. */
const readEnd = (text: string, now: Micros): Point | undefined =>
  text === '' || text.toUpperCase() === 'NOW' ? NEWEST : readPoint(text, now);
