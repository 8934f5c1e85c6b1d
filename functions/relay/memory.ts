import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { EnvironmentMemory, MEMORY_LIMIT } from '#shared/environments/environment-memory.ts';
import type { Active, Activity } from '#shared/series/activity.ts';
import type { NotedMonths } from '#shared/series/facets.ts';

/**
 * The shortest time between two writes of derived data for one flow, repository or series
 * (`rules/storage.md#rate-of-derived-writes`).
 */
export const WRITTEN_EVERY: Micros = 60_000_000;

/** The last activity of a flow or a repository that this container wrote, and a later one that is not written yet. */
interface ActivityMemory {
  active: Active;
  state: string;
  writtenAt: Micros;
  postponed: Activity | undefined;
}

/**
 * What one container of the relay remembers between calls. It only saves writes: the relay may repeat each of its
 * writes.
 */
export class RelayMemory extends EnvironmentMemory {
  readonly months: NotedMonths = new Set();
  readonly #settledAt = new Map<string, Micros>();
  readonly #activity = new Map<string, ActivityMemory>();

  /** Says whether the last settling of a series is a minute ago, or this container has not settled the series yet. */
  isSettlingDue(org: OrganizationId, series: string, now: Micros): boolean {
    return now - (this.#settledAt.get(`${org}#${series}`) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  rememberSettled(org: OrganizationId, series: string, now: Micros): void {
    if (this.#settledAt.size >= MEMORY_LIMIT) this.#settledAt.clear();
    this.#settledAt.set(`${org}#${series}`, now);
  }

  /** Says whether an activity has to be written now: its state changed, or the last write is a minute ago. */
  isWriteDue(active: Active, { state }: Activity, now: Micros): boolean {
    const known = this.#activity.get(activityKey(active));
    return !known || known.state !== state || now - known.writtenAt >= WRITTEN_EVERY;
  }

  rememberWritten(active: Active, { at, state }: Activity, now: Micros): void {
    const key = activityKey(active);
    const postponed = this.#activity.get(key)?.postponed;
    if (this.#activity.size >= MEMORY_LIMIT) this.#activity.clear();
    // Shards of the stream are read independently, so the postponed activity may be later than the written one.
    this.#activity.set(key, {
      active,
      state,
      writtenAt: now,
      postponed: postponed && postponed.at > at ? postponed : undefined,
    });
  }

  /** Keeps an activity until its minute is over, unless a later one is postponed already. */
  postpone(active: Active, activity: Activity): void {
    const known = this.#activity.get(activityKey(active));
    if (known && (!known.postponed || known.postponed.at < activity.at)) known.postponed = activity;
  }

  /** Returns the postponed activities whose minute is over. */
  dueActivities(now: Micros): { active: Active; activity: Activity }[] {
    return [...this.#activity.values()].flatMap(({ active, writtenAt, postponed }) =>
      postponed && now - writtenAt >= WRITTEN_EVERY ? [{ active, activity: postponed }] : [],
    );
  }
}

const activityKey = ({ org, kind, id }: Active): string => [org, kind, id].join('#');

/** Shared by all calls of one container. */
export const containerMemory = new RelayMemory();
