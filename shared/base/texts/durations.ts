import * as z from 'zod';
import type { Duration } from '#shared/base/time.ts';
import { withInput } from '#shared/base/validation.ts';

/** Durations that people write: ISO 8601 texts in requests, policies and answers, microseconds inside (rules/expectations.md#durations). */

export const SECOND: Duration = 1_000_000;
export const MINUTE: Duration = 60 * SECOND;
export const HOUR: Duration = 60 * MINUTE;
/** A day always has 24 hours, and a week 7 days. */
export const DAY: Duration = 24 * HOUR;

const FORM = /^P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

const TIME_PATTERN = String.raw`T(\d+H(\d+M)?(\d+S)?|\d+M(\d+S)?|\d+S)`;
/** The same form for JSON Schemas, whose patterns cannot look ahead. */
export const DURATION_PATTERN = String.raw`^P((\d+W(\d+D)?|\d+D)(${TIME_PATTERN})?|${TIME_PATTERN})$`;
/** Years, and months, whose `M` stands before the `T`. */
const CALENDAR = /^P[^T]*[YM]/;
/** How much each group of {@link FORM} counts for. */
const UNITS: readonly Duration[] = [7 * DAY, DAY, HOUR, MINUTE, SECOND];

const NO_DURATION = "Should be an ISO 8601 duration in whole numbers, such as 'PT20M', 'PT36H' or 'P90D'";

/** Reads a duration. @returns microseconds; a sentence if the text is none */
export function readDuration(text: string): Duration | string {
  if (text.startsWith('-')) return 'A duration cannot be negative';
  const [, ...counts] = FORM.exec(text) ?? [];
  if (counts.length > 0) return counts.reduce((sum, count, i) => sum + Number(count ?? 0) * (UNITS[i] ?? 0), 0);
  return CALENDAR.test(text) ? 'Months and years have no fixed length. Give days instead' : NO_DURATION;
}

/** A duration in a request, between two others. The output is in microseconds. */
export const durationField = (least: Duration, most: Duration) =>
  z.string().transform((text, context): Duration => {
    const read = readDuration(text);
    const range = `Should be from ${durationText(least)} to ${durationText(most)}`;
    if (typeof read === 'number' && read >= least && read <= most) return read;
    context.addIssue(withInput(typeof read === 'number' ? range : read, text));
    return z.NEVER;
  });

/**
 * Returns the text of a duration of whole seconds: days, hours, minutes and seconds, without those that are zero. So `PT24H`
 * and `P1D` give the same text.
 */
export function durationText(duration: Duration): string {
  const part = (unit: Duration, within: Duration, letter: string) => {
    const count = Math.floor((duration % within) / unit);
    return count === 0 ? '' : `${count}${letter}`;
  };
  const days = part(DAY, Number.MAX_SAFE_INTEGER, 'D');
  const time = part(HOUR, DAY, 'H') + part(MINUTE, HOUR, 'M') + part(SECOND, MINUTE, 'S');
  if (days === '' && time === '') return 'PT0S';
  return `P${days}${time === '' ? '' : `T${time}`}`;
}

const WORDS: readonly (readonly [Duration, string])[] = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
];

/** Returns a duration in words, with its two largest units: `90 days 3 hours`. Parts of a second are left out. */
export function durationWords(duration: Duration): string {
  let rest = duration;
  const parts = WORDS.flatMap(([unit, word]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? '0 seconds' : parts.slice(0, 2).join(' ');
}

/** Returns the text of a duration in words; the text itself if it is none, which no policy that was checked has. */
export const wordsOf = (text: string): string => {
  const duration = readDuration(text);
  return typeof duration === 'number' ? durationWords(duration) : text;
};
