import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { ROLES } from '#shared/callers/roles.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';

/** What browsers and proxies may store (rules/requests.md#caching). */

const api = await testApi(groups);
await buildConsole();
const { table, clock, objects, keys, origin } = api.services;
const { integrate } = integratorOf(table, { objects, clock, origin, logSigner: keys.log });
const { id, name: org, keys: callers } = await organizationWith(api.services, ROLES);
await integrate(id, trailEntries(id, 'run', 300));

const endpoints = groups.flatMap((group) => group.endpoints);
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
/** Paths that are answered with more than a refusal. */
const PATHS: Readonly<Record<string, string>> = { getTile: `/log/${org}/tile/0/000` };
const pathOf = ({ operation, path }: Endpoint) =>
  PATHS[operation] ??
  path
    .replace('{org}', org)
    .replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => (/number|^n$/.test(name) ? '1' : 'unknown'));

describe('an answer to a request that needs a credential', () => {
  it.each(endpoints.filter(({ access }) => access !== 'public').map((one) => [nameOf(one), one] as const))(
    'is stored by nobody: %s',
    async (_, endpoint) => {
      for (const key of [callers.admin, 'wrong', undefined]) {
        const request = key === undefined ? {} : { key };
        const { headers, status } = await api.call(endpoint.method, pathOf(endpoint), request);
        expect([status, headers['cache-control']]).toEqual([status, 'no-store']);
      }
    },
  );

  it('is stored by nobody, also if it is a tile of a log', async () => {
    const { status } = await api.call('GET', `/log/${org}/tile/0/000`, { key: callers.reader });
    expect(status).toBe(200);
  });
});
