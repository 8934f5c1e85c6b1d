import { fromSeconds, type Micros } from '#shared/base/time.ts';
import { RestoreError } from './restore-error.ts';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.0+)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads the instant of a restore. The database restores to whole seconds.
 *
 * @param text seconds since the epoch, or a date and time with a zone
 * @throws RestoreError
 */
export function parseInstant(text: string): Micros {
  if (/^\d{1,11}$/.test(text)) return fromSeconds(Number(text));
  const millis = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(millis)) return fromSeconds(millis / 1_000);
  throw new RestoreError(
    `--to is '${text}'. Give whole seconds since the epoch, or a date and time such as 2026-03-01T12:00:00Z`,
  );
}

/** Returns an instant as messages name it: `2026-03-01T12:00:00Z`. */
export const instantText = (at: Micros): string => new Date(at / 1_000).toISOString().replace(/\.\d+Z$/, 'Z');

/** Returns an instant as names of tables have it: `20260301T120000Z`. */
export const instantName = (at: Micros): string => instantText(at).replaceAll(/[-:]/g, '');
