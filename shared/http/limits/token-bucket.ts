import { type Micros, secondsOf } from '#shared/base/time.ts';
import type { RequestLimit } from '#shared/callers/request-limits.ts';

/**
 * A token bucket: each request takes a token, and time brings tokens back, up to the burst of the limit. The limit can change at any
 * time. A clock that goes back brings no tokens.
 */
export class TokenBucket {
  #tokens: number;
  #at: Micros;

  constructor({ burst }: RequestLimit, now: Micros) {
    this.#tokens = burst;
    this.#at = now;
  }

  /** Returns how many tokens there are. A debt is below zero. */
  tokens({ rate, burst }: RequestLimit, now: Micros): number {
    const passed = Math.max(0, secondsOf(now - this.#at));
    this.#tokens = Math.min(burst, this.#tokens + passed * rate);
    this.#at = now;
    return this.#tokens;
  }

  /** Takes tokens, also those that are not there. A debt is at most the burst, so that it ends. */
  take(count: number, { burst }: RequestLimit): void {
    this.#tokens = Math.max(-burst, this.#tokens - count);
  }

  /** Keeps at most so many tokens. */
  keepAtMost(count: number): void {
    this.#tokens = Math.min(this.#tokens, count);
  }
}
