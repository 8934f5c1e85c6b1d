import type { Duration, Micros } from '#shared/base/time.ts';

const DAY: Duration = 24 * 3600 * 1_000_000;

/** A place that can still have a copy after `erase-body`, because no command reaches it. */
interface Place {
  what: string;
  /** Who or what removes the copy. */
  removedBy: string;
  /** The longest time after the erasure until the copy is gone; null if nobody can say. */
  days: number | null;
  /** The only kind of erasure that the place can have a copy of. Absent for all kinds. */
  kind?: string;
}

/** The places of rules/erasure.md#places-that-no-command-reaches. */
export const PLACES: readonly Place[] = [
  { what: 'the stream of the table', removedBy: 'the database', days: 1 },
  // Two days until a version is not the newest one any more, two more until the bucket removes it. The bucket rounds up each time.
  { what: 'files in `uploads/`', removedBy: 'the bucket', days: 6 },
  { what: 'backups of the table', removedBy: 'the database', days: 35 },
  { what: 'a replica of the bucket, where the stage has one', removedBy: 'its owner', days: null },
  { what: 'stored answers to requests with an `Idempotency-Key`', removedBy: 'the database', days: null },
  { what: 'memory of functions that run', removedBy: 'the platform, when it ends a container', days: null },
  {
    what: 'earlier facts of the flow that were too large for the table',
    removedBy: 'nobody',
    days: null,
    kind: 'flow',
  },
  {
    what: 'exports, statements, receipts and files that were downloaded; mails and webhooks that were sent',
    removedBy: 'those who have them',
    days: null,
  },
];

/**
 * Returns the places that can have a copy of what was erased, as sentences.
 *
 * @param kind kind of the erasure
 * @param at time of the erasure in microseconds
 */
export const placesLeft = (kind: string, at: Micros): string[] =>
  PLACES.filter((place) => place.kind === undefined || place.kind === kind).map(({ what, removedBy, days }) => {
    const until = days === null ? '' : `, until ${new Date((at + days * DAY) / 1000).toISOString()}`;
    return `${what}: removed by ${removedBy}${until}`;
  });
