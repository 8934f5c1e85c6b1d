import type { Duration, Micros } from './time.ts';

/**
 * The shortest time between two writes of one container that store the same fact again, such as that a series or an
 * organization is listed for the sweeps (`rules/storage.md#rate-of-derived-writes`).
 */
export const WRITTEN_EVERY: Duration = 60_000_000;

/** A container remembers this many writes. */
const LIMIT = 50_000;

/**
 * Times of the last writes of one container, by name. They only save writes that would store the same again: each write may
 * be repeated.
 */
export class WriteTimes {
  readonly #at = new Map<string, Micros>();

  /** Says whether the last write is a minute ago, or this container has not made the write yet. */
  isDue(name: string, now: Micros): boolean {
    return now - (this.#at.get(name) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  /** Remembers a write. At the limit all other writes are forgotten. */
  remember(name: string, now: Micros): void {
    if (this.#at.size >= LIMIT) this.#at.clear();
    this.#at.set(name, now);
  }
}
