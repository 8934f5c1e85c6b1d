import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newId } from '#shared/base/ids.ts';
import { micros, systemClock } from '#shared/base/time.ts';
import { isSecret, mintSecret, signatureHeaders } from '#shared/notifications/rules/signature.ts';

const BODY = JSON.stringify({ version: '1.0', description: 'Straße → ✓' });

function signed(secrets: string[]) {
  const at = systemClock().now();
  const id = newId(at);
  return { id, headers: signatureHeaders(id, at, BODY, secrets) };
}

describe('a signature', () => {
  test('is verified by the convention’s own library', () => {
    const secret = mintSecret();
    const { id, headers } = signed([secret]);
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    expect(headers['webhook-id']).toBe(id);
  });

  test('verifies with either secret while one is being replaced, and with no other', () => {
    const secrets = [mintSecret(), mintSecret()];
    const { headers } = signed(secrets);
    for (const secret of secrets) expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(mintSecret()).verify(BODY, headers)).toThrow('No matching signature');
  });

  test('covers body, id and time', () => {
    const secret = mintSecret();
    const { headers } = signed([secret]);
    const verify = (body: string, changed: Record<string, string>) => () =>
      new Webhook(secret).verify(body, { ...headers, ...changed });
    expect(verify(`${BODY} `, {})).toThrow();
    expect(verify(BODY, { 'webhook-id': 'another' })).toThrow();
    expect(verify(BODY, { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) })).toThrow();
  });

  test('is not made without a secret or with a malformed one', () => {
    expect(() => signatureHeaders('id', micros(1), BODY, [])).toThrow('without a secret');
    expect(() => signatureHeaders('id', micros(1), BODY, ['whsec_!'])).toThrow('is malformed');
  });
});

describe('a secret', () => {
  const ofBytes = (length: number) => `whsec_${Buffer.alloc(length, 255).toString('base64')}`;

  test.each([24, 32, 64])('may have %i bytes', (length) => {
    expect(isSecret(ofBytes(length))).toBe(true);
  });

  test.each([
    ['too short', ofBytes(23)],
    ['too long', ofBytes(65)],
    ['without its prefix', ofBytes(32).slice(6)],
    ['of the other alphabet of base64', ofBytes(32).replaceAll('/', '_')],
    ['with a line break', `${ofBytes(32)}\n`],
    ['empty', ''],
  ])('is refused when it is %s', (_, secret) => {
    expect(isSecret(secret)).toBe(false);
  });

  test('is new each time it is minted, and valid', () => {
    const minted = new Set(Array.from({ length: 50 }, () => mintSecret()));
    expect(minted.size).toBe(50);
    expect([...minted].every(isSecret)).toBe(true);
  });
});
