import { ServiceError } from '#shared/base/errors.ts';
import type { RequestLimit } from '#shared/callers/request-limits.ts';

/** A limit, and what of it is left. */
export interface Reached {
  /** `organization-requests`. */
  name: string;
  /** The beginning of the sentence: who sends too much of what. */
  says: string;
  limit: RequestLimit;
  /** Below one. */
  tokens: number;
}

/** Too many requests of an organization or a key: 429 (rules/requests.md#limits-of-organizations). */
export class LimitReached extends ServiceError {
  readonly headers: Readonly<Record<string, string>>;

  constructor({ name, says, limit, tokens }: Reached) {
    const seconds = Math.max(1, Math.ceil((1 - tokens) / limit.rate));
    super('limited', `${says} than ${limit.rate} a second. Try again in ${seconds} s`);
    this.headers = {
      'retry-after': `${seconds}`,
      ratelimit: `"${name}";r=0;t=${seconds}`,
      'ratelimit-policy': `"${name}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.rate)}`,
    };
  }
}
