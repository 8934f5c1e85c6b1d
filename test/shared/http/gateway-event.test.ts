import { describe, expect, test } from 'vitest';
import { fullPath, readEvent } from '#shared/http/gateway-event.ts';
import { gatewayEvent } from '#test/support/gateway.ts';

describe('the gateway event', () => {
  test('is read with a decoded path that is not decoded again', () => {
    const event = gatewayEvent({ path: '/api/v2/flows/acme/100%41' });
    expect(readEvent(event).path).toBe('/api/v2/flows/acme/100%41');
  });

  test('the gateway event with an encoded path is decoded segment by segment', () => {
    const event = gatewayEvent({ path: '/api/v2/flows/acme/a%20b%2Fc%zz/100%2541' });
    expect(readEvent(event, 'encoded').path).toBe('/api/v2/flows/acme/a%20b%2Fc%zz/100%41');
    const whole = gatewayEvent({ path: '/api/v2/flows/acme/a%20b' });
    expect(readEvent(whole, 'encoded').path).toBe('/api/v2/flows/acme/a b');
  });

  test('gives the body as bytes, from base64 and from text', () => {
    expect(readEvent(gatewayEvent({ path: '/', body: Buffer.from([0, 255]) })).body).toEqual(Buffer.from([0, 255]));
    expect(readEvent(gatewayEvent({ path: '/', body: '"ä"' })).body.toString('utf8')).toBe('"ä"');
    expect(readEvent(gatewayEvent({ path: '/' })).body).toHaveLength(0);
  });

  test('maps endpoints to paths below the base path unless they start with root:', () => {
    expect(fullPath('/flows/{org}')).toBe('/api/v2/flows/{org}');
    expect(fullPath('root:/ready')).toBe('/ready');
  });
});
