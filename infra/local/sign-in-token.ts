import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { hashKey, sameHash } from '#shared/callers/credentials.ts';

const LIFETIME_MILLIS = 600_000;
const SCHEME = /^once +(\S+)$/i;

/**
 * A token that starts one session in place of an API key, for the link that the first start prints (docs/local-stack.md). Only
 * the stack on one machine has it: its gateway puts the key in the place of the token. Functions see the key and know no
 * tokens, so no region accepts one. Token and key stay in the memory of this process.
 */
export class SignInToken {
  readonly #now: () => number;
  #offer: { hash: string; key: string; endsAt: number } | undefined;

  /** @param now wall clock in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * Makes the token for a key. An earlier token is no longer accepted.
   *
   * @returns the token
   */
  offer(key: string): string {
    const token = randomBytes(32).toString('base64url');
    this.#offer = { hash: hashKey(token), key, endsAt: this.#now() + LIFETIME_MILLIS };
    return token;
  }

  /** Replaces the token of a request that starts a session by its key. The token is then used up. Other requests stay unchanged. */
  redeem(event: APIGatewayProxyEventV2): APIGatewayProxyEventV2 {
    const { method } = event.requestContext.http;
    const [, token] = SCHEME.exec(event.headers['authorization'] ?? '') ?? [];
    if (token === undefined || method !== 'POST' || event.rawPath !== '/api/v2/user/session') return event;
    const offer = this.#offer;
    if (!offer || offer.endsAt <= this.#now() || !sameHash(offer.hash, hashKey(token))) return event;
    this.#offer = undefined;
    return { ...event, headers: { ...event.headers, authorization: `Bearer ${offer.key}` } };
  }
}
