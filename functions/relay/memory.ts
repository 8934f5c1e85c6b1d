import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { EnvironmentMemory, MEMORY_LIMIT } from '#shared/environments/environment-memory.ts';
import type { Active, Activity } from '#shared/series/activity.ts';
import type { NotedMonths } from '#shared/series/facets.ts';

/** What is derived is written at most this often per flow, per repository and per series (design §2.9). */
export const WRITTEN_EVERY: Micros = 60_000_000;

/** The last activity of something that this container wrote, and news that waits until its minute is over. */
interface ActivityMemory {
  active: Active;
  state: string;
  writtenAt: Micros;
  waiting: Activity | undefined;
}

/**
 * What a container of the relay remembers between calls, only to write less: everything that the relay writes may be
 * written again.
 */
export class RelayMemory extends EnvironmentMemory {
  readonly months: NotedMonths = new Set();
  readonly #settledAt = new Map<string, Micros>();
  readonly #activity = new Map<string, ActivityMemory>();

  /** Whether a series is to be looked after now: once a minute. */
  isDue(org: OrganizationId, series: string, now: Micros): boolean {
    return now - (this.#settledAt.get(`${org}#${series}`) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  settled(org: OrganizationId, series: string, now: Micros): void {
    if (this.#settledAt.size >= MEMORY_LIMIT) this.#settledAt.clear();
    this.#settledAt.set(`${org}#${series}`, now);
  }

  /** Whether news of activity is to be written now: a changed state at once, anything else once a minute. */
  isNews(active: Active, { state }: Activity, now: Micros): boolean {
    const known = this.#activity.get(activityName(active));
    return !known || known.state !== state || now - known.writtenAt >= WRITTEN_EVERY;
  }

  written(active: Active, { at, state }: Activity, now: Micros): void {
    const key = activityName(active);
    const waiting = this.#activity.get(key)?.waiting;
    if (this.#activity.size >= MEMORY_LIMIT) this.#activity.clear();
    // Shards of the stream do not wait for each other: what waits may be later than what was written.
    this.#activity.set(key, {
      active,
      state,
      writtenAt: now,
      waiting: waiting && waiting.at > at ? waiting : undefined,
    });
  }

  /** Keeps news until its minute is over, unless later news waits already. */
  wait(active: Active, activity: Activity): void {
    const known = this.#activity.get(activityName(active));
    if (known && (!known.waiting || known.waiting.at < activity.at)) known.waiting = activity;
  }

  /** The waiting news whose minute is over. */
  waiting(now: Micros): { active: Active; activity: Activity }[] {
    return [...this.#activity.values()].flatMap(({ active, writtenAt, waiting }) =>
      waiting && now - writtenAt >= WRITTEN_EVERY ? [{ active, activity: waiting }] : [],
    );
  }
}

const activityName = ({ org, kind, id }: Active): string => [org, kind, id].join('#');

/** What the calls of one container share. */
export const containerMemory = new RelayMemory();
