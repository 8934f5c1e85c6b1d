import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { Services } from '#functions/services.ts';
import { lazyEngines, lazyPolicies } from '#functions/services.ts';
import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { systemClock } from '#shared/base/time.ts';
import { type Endpoint, readsTable } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { NO_KEYS } from '#shared/signing/keys.ts';
import { Table } from '#shared/table/table.ts';
import { call } from '#test/support/gateway.ts';

/** No server listens at this address: a request without a credential is answered without the table and the bucket. */
const NOWHERE = 'http://127.0.0.1:1';
const services: Services = {
  table: new Table(localDatabase(NOWHERE), 'unused'),
  objects: localObjects(NOWHERE),
  engines: lazyEngines(),
  policies: lazyPolicies(),
  clock: systemClock(),
  address: 'https://api.example',
  guard: addressGuard(),
  principals: (table) => new Directory(table),
  keys: NO_KEYS,
  origin: (org) => `${org}.log.localhost`,
  logDomain: () => 'log.localhost',
  entryIndex: indexOf,
  witness: { logs: '' },
  accessTokens: {
    issuer: 'https://login.example',
    scopes: ['openid'],
    verify: () => Promise.reject(new Error('No request here has a token')),
  },
};

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': expect.stringContaining('max-age='),
  'content-security-policy': expect.stringContaining("default-src 'none'"),
  'x-request-id': expect.any(String),
};

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const pathOf = ({ path }: Endpoint) => fullPath(path).replaceAll(/\{\w+\+?\}/g, 'x');

describe.each(groups.map((group) => [group.name, group] as const))('answers of %s', (_, group) => {
  const handler = groupHandler(group, services, { log: () => undefined });
  // An endpoint that a feature opens reads the organization first.
  const secured = group.endpoints.filter(({ access, openWith }) => access !== 'public' && !openWith);
  // Without a key server, endpoints that use keys cannot answer.
  const open = group.endpoints.filter(
    ({ access, path, uses }) => access === 'public' && !path.includes('{') && !uses?.keys,
  );

  test('answers without a credential are 401, are not cached and have the security headers', async () => {
    for (const endpoint of secured) {
      const { status, headers, text } = await call(handler, { method: endpoint.method, path: pathOf(endpoint) });
      expect([status, text], nameOf(endpoint)).toEqual([401, '{"message":"Authentication required"}']);
      expect(headers, nameOf(endpoint)).toMatchObject({ ...SECURITY_HEADERS, 'cache-control': 'no-store' });
      expect(headers['www-authenticate'], nameOf(endpoint)).toContain('Bearer');
    }
  });

  test('answers of public endpoints have the security headers', async () => {
    for (const endpoint of open) {
      const { status, headers } = await call(handler, { method: endpoint.method, path: pathOf(endpoint) });
      // A sign-in sends the browser to another page. What needs the table waits for it.
      const answered = endpoint.success[302] ? 302 : 200;
      expect(status, nameOf(endpoint)).toBe(readsTable(endpoint) ? 503 : answered);
      expect(headers, nameOf(endpoint)).toMatchObject(SECURITY_HEADERS);
    }
  });
});
