/**
 * Durations as people read and type them: `20 min`, `1 d 12 h`. The API writes them as `PT20M` and `P1DT12H`
 * (rules/expectations.md#durations).
 */

const ISO = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const UNITS = ['d', 'h', 'min', 's'] as const;

/** `P1DT12H` as `1 d 12 h`. A text of another form stays as it is. */
export function durationText(iso: string): string {
  const [, ...counts] = ISO.exec(iso) ?? [];
  const parts = UNITS.flatMap((unit, n) => (Number(counts[n] ?? 0) > 0 ? [`${Number(counts[n])} ${unit}`] : []));
  if (parts.length > 0) return parts.join(' ');
  return counts.some((count) => count !== undefined) ? '0 s' : iso;
}

const WORDS =
  /^(?:(\d+)\s*(?:w|weeks?))?\s*(?:(\d+)\s*(?:d|days?))?\s*(?:(\d+)\s*(?:h|hours?))?\s*(?:(\d+)\s*(?:m|min|minutes?))?\s*(?:(\d+)\s*(?:s|sec|seconds?))?$/i;

/**
 * `20 min` as `PT20M`, `1 week` as `P7D`. A text that is no duration in words, such as one of the API, is returned as it is:
 * the API says what is wrong with it.
 */
export function isoDuration(text: string): string {
  const words = text.trim();
  const [, ...counts] = (words === '' ? null : WORDS.exec(words)) ?? [];
  if (counts.length === 0) return words;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = counts.map((count) => Number(count ?? 0));
  const part = (count: number, letter: string) => (count === 0 ? '' : `${count}${letter}`);
  const date = part(7 * weeks + days, 'D');
  const time = part(hours, 'H') + part(minutes, 'M') + part(seconds, 'S');
  return date + time === '' ? 'PT0S' : `P${date}${time === '' ? '' : `T${time}`}`;
}

const SECONDS = [86_400, 3_600, 60, 1] as const;

/** The seconds of a duration of the API; null for a text of another form. */
export function durationSeconds(iso: string): number | null {
  const [, ...counts] = ISO.exec(iso) ?? [];
  if (!counts.some((count) => count !== undefined)) return null;
  return SECONDS.reduce((sum, unit, n) => sum + unit * Number(counts[n] ?? 0), 0);
}
