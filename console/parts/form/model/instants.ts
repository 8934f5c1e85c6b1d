/** Instants as a person types them into a form, in UTC. */

/** What a field says of the form. */
export const INSTANT_NOTE = 'In UTC, such as 2026-07-01 or 2026-07-01T12:00Z.';
/** What is wrong with a text that is none. */
export const NO_INSTANT = 'Write a day or an instant: 2026-07-01.';

/** @param at seconds since 1970 */
export const instantText = (at: number): string => new Date(at * 1000).toISOString();

/** What a field of the type `datetime-local` takes: minutes, such as `2026-11-23T09:00`. @param at seconds since 1970 */
export const fieldText = (at: number): string => instantText(at).slice(0, 16);

/** Seconds since 1970 of a day or an instant; null for another text. An instant without a zone is one in UTC. */
export function readInstant(text: string): number | null {
  const given = text.trim();
  const isZoned = !/T[\d:.]+$/i.test(given);
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(isZoned ? given : `${given}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : at / 1000;
}
