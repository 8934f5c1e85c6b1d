import type { Id } from '#shared/ids.ts';
import type { Activity } from '#shared/store/activity.ts';
import type { NotedMonths } from '#shared/store/facets.ts';
import type { Micros } from '#shared/time.ts';

/** What is derived is written at most this often per flow and per series (design §2.9). */
export const WRITTEN_EVERY: Micros = 60_000_000;

/** Beyond this many flows or series the memory begins anew: that costs a few writes, never a wrong one. */
const MEMORY_LIMIT = 50_000;

/** The last activity of a flow that this container wrote, and news that waits until its minute is over. */
interface FlowMemory {
  org: Id;
  flow: Id;
  state: string;
  writtenAt: Micros;
  waiting: Activity | undefined;
}

/**
 * What a container of the relay remembers between calls, only to write less: everything that the relay writes may be
 * written again.
 */
export class RelayMemory {
  readonly months: NotedMonths = new Set();
  readonly #settledAt = new Map<string, Micros>();
  readonly #flows = new Map<string, FlowMemory>();

  /** Whether a series is to be looked after now: once a minute. */
  isDue(org: Id, series: string, now: Micros): boolean {
    return now - (this.#settledAt.get(`${org}#${series}`) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  settled(org: Id, series: string, now: Micros): void {
    if (this.#settledAt.size >= MEMORY_LIMIT) this.#settledAt.clear();
    this.#settledAt.set(`${org}#${series}`, now);
  }

  /** Whether news of a flow is to be written now: a changed state at once, anything else once a minute. */
  isNews(org: Id, flow: Id, { state }: Activity, now: Micros): boolean {
    const known = this.#flows.get(`${org}#${flow}`);
    return !known || known.state !== state || now - known.writtenAt >= WRITTEN_EVERY;
  }

  written(org: Id, flow: Id, { at, state }: Activity, now: Micros): void {
    const key = `${org}#${flow}`;
    const waiting = this.#flows.get(key)?.waiting;
    if (this.#flows.size >= MEMORY_LIMIT) this.#flows.clear();
    // Shards of the stream do not wait for each other: what waits may be later than what was written.
    this.#flows.set(key, {
      org,
      flow,
      state,
      writtenAt: now,
      waiting: waiting && waiting.at > at ? waiting : undefined,
    });
  }

  /** Keeps news until its minute is over, unless later news waits already. */
  wait(org: Id, flow: Id, activity: Activity): void {
    const known = this.#flows.get(`${org}#${flow}`);
    if (known && (!known.waiting || known.waiting.at < activity.at)) known.waiting = activity;
  }

  /** The waiting news whose minute is over. */
  waiting(now: Micros): { org: Id; flow: Id; activity: Activity }[] {
    return [...this.#flows.values()].flatMap(({ org, flow, writtenAt, waiting }) =>
      waiting && now - writtenAt >= WRITTEN_EVERY ? [{ org, flow, activity: waiting }] : [],
    );
  }
}

/** What the calls of one container share. */
export const containerMemory = new RelayMemory();
