import { type ServiceError, sentence } from '../errors.ts';
import type { EnvironmentId, FlowId, TrailId } from '../ids.ts';

/** A moment or a snapshot, by the ids that its entry in the log has (rules/log.md#entries). */
export type ChainedRecord =
  | { kind: 'trail'; flow: FlowId; trail: TrailId; number: number }
  | { kind: 'environment'; environment: EnvironmentId; number: number };

/** The error for a record whose entry is in the log. */
export const recordGone = sentence('broken', 'Entry {index} is in the log, its record is gone');

/**
 * A stored moment or snapshot is missing, or a record that belongs to it. A request that meets this fault reads the claim of
 * the log, and its answer names the entry (rules/log.md#records-that-are-gone).
 */
export class RecordGone extends Error {
  readonly subject: ChainedRecord;
  /** The answer if the log has no entry either: a record that never existed is not gone. */
  readonly unlogged: ServiceError | undefined;

  /** @param part what of the record is missing; without it the whole record */
  constructor(subject: ChainedRecord, { part, unlogged }: { part?: string; unlogged?: ServiceError } = {}) {
    super(`${nameOf(subject)} ${part === undefined ? 'is missing' : `lacks ${part}`}`);
    this.name = 'RecordGone';
    this.subject = subject;
    this.unlogged = unlogged;
  }
}

const nameOf = (subject: ChainedRecord): string =>
  subject.kind === 'trail'
    ? `Moment ${subject.number} of the trail ${subject.trail}`
    : `Snapshot ${subject.number} of the environment ${subject.environment}`;

/**
 * Requires that numbered records follow each other without a gap.
 *
 * @param range `to` is the last number that must be there; without it the records may end at any number
 * @param at returns the record with a number
 * @throws RecordGone for the first number that is missing
 */
export function requireSuccessive(
  numbers: readonly number[],
  { from, to }: { from: number; to?: number },
  at: (number: number) => ChainedRecord,
): void {
  const gap = numbers.findIndex((number, i) => number !== from + i);
  const next = gap >= 0 ? from + gap : from + numbers.length;
  if (gap >= 0 || (to !== undefined && next <= to)) throw new RecordGone(at(next));
}
