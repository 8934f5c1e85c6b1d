import { fromMillis, type Micros, plus } from '#shared/base/time.ts';
import type { History } from '#shared/environments/rules/expressions.ts';

/** `2026-05-01` or `2026-05-01T10:20:30`, read as UTC. */
export const utc = (text: string): Micros => fromMillis(Date.parse(text.includes('T') ? `${text}Z` : text));

export const NOW = plus(utc('2026-06-20T12:00:00'), 5);

/** A history whose snapshots were made at these instants. */
export const historyOf = (...times: number[]): History => ({
  count: times.length,
  indexAt: (at) => times.filter((time) => time <= at).length,
});
