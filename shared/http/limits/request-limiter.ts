import { LRUCache } from 'lru-cache';
import type { Clock, Micros } from '#shared/base/time.ts';
import type { KnownOrganization } from '#shared/callers/principals.ts';
import type { RequestLimit, RequestLimits, StageLimits } from '#shared/callers/request-limits.ts';
import type { Table } from '#shared/table/table.ts';
import { type Numbers, settleLimit } from './limit-counters.ts';
import { LimitReached, type Reached } from './limit-reached.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * A container settles an organization or a key after so many requests. A request then causes at most 2 / 40 = 0.05 write units on
 * average: one unit each for its organization and its key.
 */
const SETTLED_EVERY = 40;
const MOST_REMEMBERED = 4_000;
const KINDS = ['requests', 'writes'] as const;
const ONE_REQUEST: Numbers = { requests: 1, writes: 0 };
const ONE_WRITE: Numbers = { requests: 1, writes: 1 };

/** A request of a caller. */
export interface Asking {
  /** Absent for requests without an organization. */
  org?: Pick<KnownOrganization, 'id' | 'name' | 'limits'> | undefined;
  /** Id of the key, or of the session that has no key. Absent if the key was counted before. */
  key?: string | undefined;
  isWrite: boolean;
}

/** An organization or a key, as a container knows it. */
interface Scope {
  id: string;
  buckets: Record<(typeof KINDS)[number], TokenBucket>;
  limits: RequestLimits;
  /** What was admitted here and is not in the counter yet. */
  pending: Numbers;
  /** What all containers had admitted when this one settled last. */
  known: Numbers | undefined;
}

/**
 * Limits the requests of organizations and keys (rules/requests.md#limits-of-organizations). Each container keeps token buckets in
 * memory, and settles them with the other containers through one counter item for each organization and each key. No request waits
 * for the counters.
 */
export class RequestLimiter {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #limits: StageLimits;
  readonly #scopes = new LRUCache<string, Scope>({ max: MOST_REMEMBERED });
  /** Scopes that have admitted enough to be settled. */
  readonly #due = new Set<Scope>();

  constructor({ table, clock }: { table: Table; clock: Clock }, limits: StageLimits) {
    this.#table = table;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Admits a request, or refuses it. A refused request takes nothing, so a caller that waits is admitted.
   * @throws LimitReached
   */
  admit({ org, key, isWrite }: Asking): void {
    const now = this.#clock.now();
    const scopes = [
      ...(org
        ? [{ scope: this.#scope(org.id, org.limits ?? this.#limits.organization, now), of: 'organization' }]
        : []),
      ...(key === undefined ? [] : [{ scope: this.#scope(key, this.#limits.key, now), of: 'key' }]),
    ];
    const taken = isWrite ? ONE_WRITE : ONE_REQUEST;
    for (const { scope, of } of scopes) {
      for (const kind of KINDS) {
        const limit = scope.limits[kind];
        const tokens = scope.buckets[kind].tokens(limit, now);
        if (taken[kind] > 0 && tokens < 1) throw new LimitReached(reachedBy({ of, kind, org, limit, tokens }));
      }
    }
    for (const { scope } of scopes) this.#take(scope, taken);
  }

  /**
   * Settles what is due. A failed call leaves it due.
   * @returns undefined if nothing is due
   */
  settle(): Promise<unknown> | undefined {
    if (this.#due.size === 0) return undefined;
    const due = [...this.#due];
    this.#due.clear();
    return Promise.all(due.map((scope) => this.#settle(scope)));
  }

  #scope(id: string, limits: RequestLimits, now: Micros): Scope {
    const known = this.#scopes.get(id);
    if (known) {
      known.limits = limits;
      return known;
    }
    const scope: Scope = {
      id,
      buckets: { requests: new TokenBucket(limits.requests, now), writes: new TokenBucket(limits.writes, now) },
      limits,
      pending: { requests: 0, writes: 0 },
      known: undefined,
    };
    this.#scopes.set(id, scope);
    return scope;
  }

  #take(scope: Scope, taken: Numbers): void {
    for (const kind of KINDS) {
      if (taken[kind] > 0) scope.buckets[kind].take(taken[kind], scope.limits[kind]);
      scope.pending[kind] += taken[kind];
    }
    if (scope.pending.requests >= SETTLED_EVERY) this.#due.add(scope);
  }

  async #settle(scope: Scope): Promise<void> {
    const { id, buckets, limits, pending: admitted } = scope;
    const now = this.#clock.now();
    scope.pending = { requests: 0, writes: 0 };
    const tokens = {
      requests: buckets.requests.tokens(limits.requests, now),
      writes: buckets.writes.tokens(limits.writes, now),
    };
    try {
      const before = await settleLimit(this.#table, id, { admitted, tokens, now });
      for (const kind of KINDS) {
        const others = scope.known ? Math.max(0, before.admitted[kind] - scope.known[kind]) : 0;
        buckets[kind].take(others, limits[kind]);
        // A container that starts knows nothing yet of what the others admitted.
        if (!scope.known && before.last) {
          const { tokens: left, seconds } = before.last;
          buckets[kind].keepAtMost(left[kind] + seconds * limits[kind].rate - admitted[kind]);
        }
      }
      scope.known = sum(before.admitted, admitted);
    } catch (error) {
      scope.pending = sum(scope.pending, admitted);
      this.#due.add(scope);
      throw error;
    }
  }
}

const sum = (one: Numbers, other: Numbers): Numbers => ({
  requests: one.requests + other.requests,
  writes: one.writes + other.writes,
});

interface Refused extends Pick<Asking, 'org'> {
  of: string;
  kind: (typeof KINDS)[number];
  limit: RequestLimit;
  tokens: number;
}

function reachedBy({ of, kind, org, limit, tokens }: Refused): Reached {
  const who = of === 'organization' ? `The organization '${org?.name}'` : 'This key';
  const what = kind === 'requests' ? 'sends more requests' : 'changes more';
  return { name: `${of}-${kind}`, says: `${who} ${what}`, limit, tokens };
}
