import { describe, expect, it } from 'vitest';
import { SignInToken } from '#infra/local/sign-in-token.ts';
import { gatewayEvent, type TestRequest } from '#test/support/gateway.ts';

const MINUTE = 60_000;

/** A token of a key, with a clock to move and requests that have the token. */
function offered() {
  let now = 0;
  const tokens = new SignInToken(() => now);
  const token = tokens.offer('the-key');
  return {
    tokens,
    token,
    wait: (millis: number) => {
      now += millis;
    },
    sent: (request: Partial<TestRequest> = {}, authorization = `Once ${token}`) => {
      const event = { method: 'POST', path: '/api/v2/user/session', headers: { authorization }, ...request };
      return tokens.redeem(gatewayEvent(event)).headers['authorization'];
    },
  };
}

describe('the token of the sign-in link', () => {
  it('stands for the key once', () => {
    const { token, sent } = offered();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(sent()).toBe('Bearer the-key');
    expect(sent()).toBe(`Once ${token}`);
  });

  it('ends after ten minutes', () => {
    const late = offered();
    late.wait(10 * MINUTE);
    expect(late.sent()).toBe(`Once ${late.token}`);
    const early = offered();
    early.wait(10 * MINUTE - 1);
    expect(early.sent()).toBe('Bearer the-key');
  });

  it('is accepted only where a session starts, and is then still unused', () => {
    const { token, sent } = offered();
    for (const request of [{ method: 'GET' }, { path: '/api/v2/user' }, { path: '/api/v2/user/session/' }]) {
      expect(sent(request)).toBe(`Once ${token}`);
    }
    expect(sent()).toBe('Bearer the-key');
  });

  it('ends with the next one, and no other text stands for it', () => {
    const { tokens, token, sent } = offered();
    const next = tokens.offer('another-key');
    for (const text of [`Once ${token}`, `Bearer ${next}`, `Once`, 'Once x', `Once ${next} x`]) {
      expect(sent({}, text)).toBe(text);
    }
    expect(sent({}, `once  ${next}`)).toBe('Bearer another-key');
  });
});
