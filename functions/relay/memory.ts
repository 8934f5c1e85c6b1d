import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { EnvironmentMemory, MEMORY_LIMIT } from '#shared/environments/environment-memory.ts';
import type { RecordedMonths } from '#shared/series/facets.ts';

/**
 * The shortest time between two writes of one container that list the same series or organization for the sweeps
 * (`rules/storage.md#rate-of-derived-writes`).
 */
export const WRITTEN_EVERY: Micros = 60_000_000;

/** Times of the last write by name. Emptied when there are more than {@link MEMORY_LIMIT}. */
class WriteTimes {
  readonly #at = new Map<string, Micros>();

  /** Says whether the last write is a minute ago, or this container has not made the write yet. */
  isDue(name: string, now: Micros): boolean {
    return now - (this.#at.get(name) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  remember(name: string, now: Micros): void {
    if (this.#at.size >= MEMORY_LIMIT) this.#at.clear();
    this.#at.set(name, now);
  }
}

/**
 * What one container of the relay remembers between calls. It holds only what is stored in the table already, and it
 * saves writes that would store the same again. Nothing waits in it: a container can end at any time.
 */
export class RelayMemory extends EnvironmentMemory {
  readonly months: RecordedMonths = new Set();
  readonly #settled = new WriteTimes();
  readonly #listed = new WriteTimes();

  isSettlingDue(org: OrganizationId, series: string, now: Micros): boolean {
    return this.#settled.isDue(`${org}#${series}`, now);
  }

  rememberSettled(org: OrganizationId, series: string, now: Micros): void {
    this.#settled.remember(`${org}#${series}`, now);
  }

  isListingDue(org: OrganizationId, now: Micros): boolean {
    return this.#listed.isDue(org, now);
  }

  rememberListed(org: OrganizationId, now: Micros): void {
    this.#listed.remember(org, now);
  }
}

/** Shared by all calls of one container. */
export const containerMemory = new RelayMemory();
