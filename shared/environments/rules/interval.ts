import type { Micros } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { type History, indexOf, NEWEST, type Point, readPoint } from './expressions.ts';

/** A range of numbers, both ends included; empty if `from` is above `to`. */
export interface IndexRange {
  from: number;
  to: number;
}

export const rangeSize = ({ from, to }: IndexRange): number => Math.max(0, to - from + 1);

/**
 * The part of a range that a page shows. It is a range as well, so every page costs the same
 * (rules/snapshot-expressions.md#intervals). Page 1 holds the newest numbers, or with `reverse` the oldest.
 * @param page number of the page, from 1; a page past the end is an empty range
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
 * Resolves an interval to snapshot numbers (rules/snapshot-expressions.md#intervals). The ends may come in either order.
 * The part of the interval outside the history is cut off, so an interval outside the history is empty. An empty text
 * means the whole history, a single expression goes up to the newest snapshot.
 * @throws ServiceError `invalid` with `errors["query.interval"]` for a text that is no interval
 */
export async function resolveInterval(text: string | undefined, now: Micros, history: History): Promise<IndexRange> {
  const { count } = history;
  const points = readInterval(text?.trim() ?? '', now);
  if (points === null || count === 0) return { from: 1, to: count };
  const ends = await Promise.all(points.map((point) => indexOf(point, history)));
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  // `11..NOW` asks what is newer than snapshot 10. It must not answer snapshot 10, which the other order would contain.
  if (to > count && points.some(isNewest)) return { from: to, to: count };
  return { from: Math.max(from, 1), to: Math.min(to, count) };
}

const isNewest = (point: Point): boolean => point.kind === 'behind' && point.behind === 0;

/** Parses the two ends; null for the whole history. */
function readInterval(text: string, now: Micros): [Point, Point] | null {
  if (text === '') return null;
  const parts = text.split('..');
  const [from, to] = parts.map((part) => readEnd(part.trim(), now));
  if (parts.length > 2 || !from || (parts.length === 2 && !to)) throw invalidField('query.interval', FORM, text);
  return [from, to ?? NEWEST];
}

/** An omitted end and `NOW` mean the newest snapshot. */
const readEnd = (text: string, now: Micros): Point | undefined =>
  text === '' || text.toUpperCase() === 'NOW' ? NEWEST : readPoint(text, now);
