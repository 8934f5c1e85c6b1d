import { beforeAll, describe, expect, inject, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { lazyEngines } from '#functions/services.ts';
import { localObjects } from '#infra/local/clients.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { mayAs, ROLES, type Role } from '#shared/roles.ts';
import type { Services } from '#shared/services.ts';
import { systemClock } from '#shared/time.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call } from '#test/support/gateway.ts';
import { testTable } from '#test/support/table.ts';

const DENIED = "You don't have permission to access this resource";

interface Organizations {
  services: Services;
  own: { name: string; keys: Record<Role, string> };
  plain: { name: string; keys: Record<Role, string> };
  foreign: string;
}
let organizations: Organizations;
beforeAll(async () => {
  const table = await testTable();
  const services: Services = {
    ...{ table, objects: localObjects(inject('s3')), engines: lazyEngines(), clock: systemClock() },
    guard: addressGuard(),
  };
  const own = await organizationWith(services, ROLES);
  const plain = await organizationWith(services, ROLES, []);
  const other = await organizationWith(services, ['admin']);
  organizations = { services, own, plain, foreign: other.keys.admin };
});

/** A plausible value for a path parameter: enough to pass its pattern, naming nothing that exists. */
function plausible(parameter: string): string {
  if (/fingerprint|sha|^fp$/.test(parameter)) return 'a'.repeat(64);
  if (/number|^n$|index/.test(parameter)) return '1';
  if (/id$/.test(parameter)) return '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
  return 'unknown';
}

const fill = (path: string, org: string) =>
  fullPath(path).replace(/\{(\w+)\+?\}/g, (_, name: string) => (name === 'org' ? org : plausible(name)));

describe.each(groups.map((group) => [group.name, group] as const))('%s', (_, group) => {
  let handler: GroupHandler;
  beforeAll(() => {
    handler = groupHandler(group, organizations.services, { log: () => undefined });
  });

  const ask = async ({ method, path }: Endpoint, org: string, key?: string) => {
    const { status, json } = await call(handler, { method, path: fill(path, org), ...(key !== undefined && { key }) });
    return { status, message: (json as { message?: string } | undefined)?.message };
  };

  describe.each(group.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    (__, endpoint) => {
      if (endpoint.access === 'public') {
        test('asks nobody who they are', async () => {
          const { own } = organizations;
          for (const key of [undefined, 'wrong']) expect((await ask(endpoint, own.name, key)).status).toBe(200);
        });
        return;
      }

      test('refuses strangers', async () => {
        const { own } = organizations;
        expect(await ask(endpoint, own.name)).toEqual({ status: 401, message: 'Authentication required' });
        expect(await ask(endpoint, own.name, 'wrong')).toEqual({ status: 401, message: 'Invalid or expired API key' });
      });

      if (endpoint.access === 'authenticated') {
        test('is open to every credential', async () => {
          const { own } = organizations;
          for (const role of ROLES)
            expect([401, 403, 500]).not.toContain((await ask(endpoint, own.name, own.keys[role])).status);
        });
        return;
      }
      const needed = endpoint.access;

      test('refuses members of other organizations, as if this one did not exist', async () => {
        const { own, foreign } = organizations;
        expect(await ask(endpoint, own.name, foreign)).toEqual({ status: 403, message: DENIED });
        expect(await ask(endpoint, 'nowhere', foreign)).toEqual({ status: 403, message: DENIED });
      });

      test.each(ROLES.filter((role) => !mayAs(role, needed)))('refuses a %s', async (role) => {
        const { own } = organizations;
        expect(await ask(endpoint, own.name, own.keys[role])).toEqual({ status: 403, message: DENIED });
      });

      test.each(ROLES.filter((role) => mayAs(role, needed)))('lets a %s in', async (role) => {
        const { own } = organizations;
        const { status } = await ask(endpoint, own.name, own.keys[role]);
        expect([401, 403, 500]).not.toContain(status);
      });

      if (endpoint.feature) {
        test('is closed to everybody where the feature is off', async () => {
          const { plain } = organizations;
          for (const role of ROLES) {
            expect(await ask(endpoint, plain.name, plain.keys[role])).toEqual({ status: 403, message: 'Forbidden' });
          }
        });
      }
    },
  );
});
