import { beforeAll, describe, expect, inject, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { lazyEngines, lazyPolicies } from '#functions/services.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { localObjects } from '#infra/local/clients.ts';
import { mayAs, ROLES, type Role } from '#shared/base/roles.ts';
import { systemClock } from '#shared/base/time.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import type { Services } from '#shared/http/services.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call, type TestRequest } from '#test/support/gateway.ts';
import { testTable } from '#test/support/table.ts';

const DENIED = "You don't have permission to access this resource";

const BAD_KEY = { status: 401, message: 'Invalid or expired API key' };

interface Keys {
  name: string;
  keys: Record<Role, string>;
}

interface Organizations {
  services: Services;
  own: Keys;
  /** Without beta features. */
  plain: Keys;
  other: Keys;
  /** Keys of service accounts of the own organization. */
  robots: Record<Role, string>;
  /** Keys of its users and of its service accounts, which were revoked. */
  revoked: Record<Role, string[]>;
}
let organizations: Organizations;
beforeAll(async () => {
  const table = await testTable();
  const services: Services = {
    table,
    objects: localObjects(inject('s3')),
    engines: lazyEngines(),
    policies: lazyPolicies(),
    clock: systemClock(),
    guard: addressGuard(),
    principals: (table) => new Directory(table),
  };
  const own = await organizationWith(services, ROLES);
  const plain = await organizationWith(services, ROLES, []);
  const other = await organizationWith(services, ROLES);
  const robots = await robotsOf(services, own);
  organizations = { services, own, plain, other, robots, revoked: await revokedKeysOf(services, own) };
});

const ofEachRole = async <T>(make: (role: Role) => Promise<T>): Promise<Record<Role, T>> =>
  Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, await make(role)] as const))) as Record<
    Role,
    T
  >;

/** Sends a request to one of the groups that make what the walk needs. */
async function administer(services: Services, request: TestRequest, status: number): Promise<Record<string, string>> {
  const group = { name: 'admin', endpoints: [...serviceAccountsGroup.endpoints, ...userGroup.endpoints] };
  const answer = await call(groupHandler(group, services, { log: () => undefined }), request);
  if (answer.status !== status) throw new Error(answer.text);
  return answer.json as Record<string, string>;
}

const robotsOf = (services: Services, { name, keys: { admin: key } }: Keys) =>
  ofEachRole(async (role) => {
    const path = `/api/v2/service-accounts/${name}`;
    const account = { method: 'POST', path, key, body: { name: role, privilege: role } };
    await administer(services, account, 201);
    const issue = { method: 'POST', path: `${path}/${role}/api-keys`, key, body: { description: 'd' } };
    const { key: secret = '' } = await administer(services, issue, 201);
    return secret;
  });

const revokedKeysOf = (services: Services, { name, keys }: Keys) =>
  ofEachRole(async (role) => {
    const issuedThenRevoked = async (path: string, key: string) => {
      const issue = { method: 'POST', path, key, body: { description: 'd' } };
      const { id, key: secret = '' } = await administer(services, issue, 201);
      await administer(services, { method: 'DELETE', path: `${path}/${id}`, key }, 200);
      return secret;
    };
    return [
      await issuedThenRevoked('/api/v2/user/api-keys', keys[role]),
      await issuedThenRevoked(`/api/v2/service-accounts/${name}/${role}/api-keys`, keys.admin),
    ];
  });

/** A plausible value for a path parameter: enough to pass its pattern, naming nothing that exists. */
function plausible(parameter: string): string {
  if (/fingerprint|sha|^fp$/.test(parameter)) return 'a'.repeat(64);
  if (/number|^n$|index/.test(parameter)) return '1';
  if (/id$/.test(parameter)) return '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
  return 'unknown';
}

/** Whoever is let in may be told that nothing is there, or that a body is missing, and nothing worse. */
function expectIn(status: number): void {
  expect([401, 403]).not.toContain(status);
  expect(status).toBeLessThan(500);
}

const fill = (path: string, org: string) =>
  fullPath(path).replace(/\{(\w+)\+?\}/g, (_, name: string) => (name === 'org' ? org : plausible(name)));

describe.each(groups.map((group) => [group.name, group] as const))('%s', (_, group) => {
  let handler: GroupHandler;
  beforeAll(() => {
    handler = groupHandler(group, organizations.services, { log: () => undefined });
  });

  const ask = async ({ method, path }: Endpoint, org: string, key?: string) => {
    const request = {
      method,
      path: fill(path, org),
      ...(key !== undefined && { key }),
    };
    const { status, json } = await call(handler, request);
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
        expect(await ask(endpoint, own.name, 'wrong')).toEqual(BAD_KEY);
      });

      test('refuses revoked keys as if they had never been', async () => {
        const { own, revoked } = organizations;
        for (const key of ROLES.flatMap((role) => revoked[role])) {
          expect(await ask(endpoint, own.name, key)).toEqual(BAD_KEY);
        }
      });

      if (endpoint.access === 'user' || endpoint.access === 'authenticated') {
        test.each(ROLES)('is open to a %s', async (role) => {
          const { own } = organizations;
          expectIn((await ask(endpoint, own.name, own.keys[role])).status);
        });

        if (endpoint.access === 'user') {
          test.each(ROLES)('refuses a service account that is a %s, before it looks at the request', async (role) => {
            const { own, robots } = organizations;
            expect(await ask(endpoint, own.name, robots[role])).toEqual({ status: 403, message: DENIED });
          });
          return;
        }

        // An account has no organization of its choice: who sets one is refused as for a foreign one.
        const answersRobots = endpoint.path !== '/user/{org}';
        test(answersRobots ? 'answers service accounts' : 'has nothing for service accounts', async () => {
          const { own, robots } = organizations;
          for (const role of ROLES) {
            const { status } = await ask(endpoint, own.name, robots[role]);
            if (answersRobots) expectIn(status);
            else expect(status).toBe(403);
          }
        });

        if (endpoint.path.includes('{org}')) {
          test('refuses members of other organizations, as if this one did not exist', async () => {
            const { own, other } = organizations;
            for (const role of ROLES) {
              const [there, nowhere] = [
                await ask(endpoint, own.name, other.keys[role]),
                await ask(endpoint, 'nowhere', other.keys[role]),
              ];
              expect(there.status).toBe(403);
              expect(there.message?.replace(own.name, 'nowhere')).toBe(nowhere.message);
            }
          });
        }
        return;
      }
      const needed = endpoint.access;

      test('refuses members of other organizations, as if this one did not exist', async () => {
        const { own, other, robots } = organizations;
        for (const role of ROLES) {
          expect(await ask(endpoint, own.name, other.keys[role])).toEqual({ status: 403, message: DENIED });
          expect(await ask(endpoint, 'nowhere', other.keys[role])).toEqual({ status: 403, message: DENIED });
          expect(await ask(endpoint, other.name, robots[role])).toEqual({ status: 403, message: DENIED });
        }
      });

      test.each(ROLES.filter((role) => !mayAs(role, needed)))('refuses a %s', async (role) => {
        const { own, robots } = organizations;
        for (const key of [own.keys[role], robots[role]]) {
          expect(await ask(endpoint, own.name, key)).toEqual({ status: 403, message: DENIED });
        }
      });

      test.each(ROLES.filter((role) => mayAs(role, needed)))('lets a %s in', async (role) => {
        const { own, robots } = organizations;
        for (const key of [own.keys[role], robots[role]]) {
          expectIn((await ask(endpoint, own.name, key)).status);
        }
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
