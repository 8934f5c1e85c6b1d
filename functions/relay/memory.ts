import type { Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Active, Activity } from '#shared/series/activity.ts';
import type { NotedMonths } from '#shared/series/facets.ts';

/** What is derived is written at most this often per flow, per repository and per series (design §2.9). */
export const WRITTEN_EVERY: Micros = 60_000_000;

/** Beyond this many flows or series the memory begins anew: that costs a few writes, never a wrong one. */
const MEMORY_LIMIT = 50_000;

/** Texts that this container has dealt with: forgotten at once when they are too many. */
export class Remembered extends Set<string> {
  override add(text: string): this {
    if (this.size >= MEMORY_LIMIT) this.clear();
    return super.add(text);
  }
}

/** What a head says of a flow that policies may look at: the same text means the same. */
export interface FlowHeadNews {
  flow: Id;
  /** Counts the changes of the head. */
  rev: number;
  text: string;
}

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
export class RelayMemory {
  readonly months: NotedMonths = new Set();
  /** Months of trails' runtime events, environments of flows, and flows that ran anywhere: what is there for good. */
  readonly runtimeMonths = new Remembered();
  readonly flowRuns = new Remembered();
  readonly ran = new Remembered();
  /** Settings of logical environments that were dealt with. */
  readonly groups = new Remembered();
  readonly #flowHeads = new Map<string, FlowHeadNews>();
  readonly #settledAt = new Map<string, Micros>();
  readonly #activity = new Map<string, ActivityMemory>();

  /** Whether a flow's head may say something else than the one before it: surely not where that one was seen here. */
  mayDiffer(org: Id, news: FlowHeadNews): boolean {
    const known = this.#flowHeads.get(`${org}#${news.flow}`);
    if (!known || known.text !== news.text || news.rev - known.rev > 1) return true;
    this.sawHead(org, news);
    return false;
  }

  sawHead(org: Id, news: FlowHeadNews): void {
    if (this.#flowHeads.size >= MEMORY_LIMIT) this.#flowHeads.clear();
    this.#flowHeads.set(`${org}#${news.flow}`, news);
  }

  /** Whether a series is to be looked after now: once a minute. */
  isDue(org: Id, series: string, now: Micros): boolean {
    return now - (this.#settledAt.get(`${org}#${series}`) ?? Number.NEGATIVE_INFINITY) >= WRITTEN_EVERY;
  }

  settled(org: Id, series: string, now: Micros): void {
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
