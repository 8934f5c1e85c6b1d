import { beforeAll, describe, expect, inject, test } from 'vitest';
import { confirmDraft, discardDraft } from '#functions/drafts/end-draft.ts';
import { groups } from '#functions/groups.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import type { Services } from '#functions/services.ts';
import { lazyEngines, lazyPolicies } from '#functions/services.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { localKeys, localObjects } from '#infra/local/clients.ts';
import { personConfirms } from '#shared/agents/rules/sentences.ts';
import { systemClock } from '#shared/base/time.ts';
import { mayAs, ROLES, type Role } from '#shared/callers/roles.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { organizationWith } from '#test/support/directory.ts';
import { call, type TestRequest } from '#test/support/gateway.ts';
import { testTable } from '#test/support/table.ts';

const DENIED = "You don't have permission to access this resource";

/** Every key is refused, whatever its role. */
const WITH_A_SESSION: readonly Endpoint[] = [confirmDraft, discardDraft];

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
  accounts: Record<Role, string>;
  /** Revoked keys of users and of service accounts of the own organization. */
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
    address: 'https://api.example',
    guard: addressGuard(),
    principals: (table) => new Directory(table),
    keys: localKeys(inject('kms')),
    origin: (org) => `${org}.log.localhost`,
    logDomain: () => 'log.localhost',
    entryIndex: indexOf,
    witness: { logs: '' },
  };
  const own = await organizationWith(services, ROLES);
  const plain = await organizationWith(services, ROLES, []);
  const other = await organizationWith(services, ROLES);
  const accounts = await accountKeysOf(services, own);
  organizations = { services, own, plain, other, accounts, revoked: await revokedKeysOf(services, own) };
});

const ofEachRole = async <T>(make: (role: Role) => Promise<T>): Promise<Record<Role, T>> =>
  Object.fromEntries(await Promise.all(ROLES.map(async (role) => [role, await make(role)] as const))) as Record<
    Role,
    T
  >;

/** Sends a request that makes accounts or keys for these tests. */
async function administer(services: Services, request: TestRequest, status: number): Promise<Record<string, string>> {
  const group = { name: 'admin', endpoints: [...serviceAccountsGroup.endpoints, ...userGroup.endpoints] };
  const answer = await call(groupHandler(group, services, { log: () => undefined }), request);
  if (answer.status !== status) throw new Error(answer.text);
  return answer.json as Record<string, string>;
}

const accountKeysOf = (services: Services, { name, keys: { admin: key } }: Keys) =>
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

/** A value for a path parameter that passes the parameter's pattern and names no existing thing. */
function plausible(parameter: string): string {
  if (/fingerprint|sha|^fp$/.test(parameter)) return 'a'.repeat(64);
  if (/number|^n$|index/.test(parameter)) return '1';
  if (/id$/.test(parameter)) return '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
  return 'unknown';
}

/** A permitted request may fail with 404 or 400, because it names nothing that exists and has no body. */
function expectPermitted(status: number): void {
  expect([401, 403]).not.toContain(status);
  expect(status).toBeLessThan(500);
}

const filledPath = (path: string, org: string) =>
  fullPath(path).replace(/\{(\w+)\+?\}/g, (_, name: string) => (name === 'org' ? org : plausible(name)));

/** The status that a public endpoint answers to a plausible path and no body. */
function publicStatus({ method, path }: Endpoint): number {
  // An empty body is refused.
  if (method === 'POST') return 400;
  // Browsers are sent to a page, also if the service has no identity provider.
  if (path.startsWith('/user/sign-in')) return 302;
  // The witness has cosigned nothing, the console has no file of the name, and there is no identity provider to name.
  return path.startsWith('/witness/') || path.includes('{file}') || path.includes('.well-known') ? 404 : 200;
}

describe.each(groups.map((group) => [group.name, group] as const))('%s', (_, group) => {
  let handler: GroupHandler;
  beforeAll(async () => {
    if (group.name === 'console') await buildConsole();
    handler = groupHandler(group, organizations.services, { log: () => undefined });
  });

  const send = async ({ method, path, access }: Endpoint, org: string, key?: string) => {
    const request = {
      method,
      // Otherwise users would leave the organization of these tests.
      path: filledPath(path, access === 'user' ? plausible('org') : org),
      ...(key !== undefined && { key }),
    };
    const { status, json } = await call(handler, request);
    return { status, message: (json as { message?: string } | undefined)?.message };
  };

  describe.each(group.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    (__, endpoint) => {
      if (endpoint.access === 'public') {
        test('needs no credential', async () => {
          const { own } = organizations;
          const status = publicStatus(endpoint);
          for (const key of [undefined, 'wrong']) expect((await send(endpoint, own.name, key)).status).toBe(status);
        });
        return;
      }

      test('refuses requests without a valid key', async () => {
        const { own } = organizations;
        expect(await send(endpoint, own.name)).toEqual({ status: 401, message: 'Authentication required' });
        expect(await send(endpoint, own.name, 'wrong')).toEqual(BAD_KEY);
      });

      test('refuses revoked keys like unknown keys', async () => {
        const { own, revoked } = organizations;
        for (const key of ROLES.flatMap((role) => revoked[role])) {
          expect(await send(endpoint, own.name, key)).toEqual(BAD_KEY);
        }
      });

      if (endpoint.access === 'user' || endpoint.access === 'authenticated') {
        test.each(ROLES)('is open to a %s', async (role) => {
          const { own } = organizations;
          expectPermitted((await send(endpoint, own.name, own.keys[role])).status);
        });

        if (endpoint.access === 'user') {
          test.each(ROLES)('refuses a service account that is a %s before it checks the request', async (role) => {
            const { own, accounts } = organizations;
            expect(await send(endpoint, own.name, accounts[role])).toEqual({ status: 403, message: DENIED });
          });
          return;
        }

        // A service account cannot set a default organization: it is refused as for a foreign organization.
        const answersAccounts = endpoint.path !== '/user/{org}';
        test(answersAccounts ? 'answers service accounts' : 'refuses service accounts', async () => {
          const { own, accounts } = organizations;
          for (const role of ROLES) {
            const { status } = await send(endpoint, own.name, accounts[role]);
            if (answersAccounts) expectPermitted(status);
            else expect(status).toBe(403);
          }
        });

        if (endpoint.path.includes('{org}')) {
          test('refuses members of other organizations as it refuses an unknown organization', async () => {
            const { own, other } = organizations;
            for (const role of ROLES) {
              const [there, nowhere] = [
                await send(endpoint, own.name, other.keys[role]),
                await send(endpoint, 'nowhere', other.keys[role]),
              ];
              expect(there.status).toBe(403);
              expect(there.message?.replace(own.name, 'nowhere')).toBe(nowhere.message);
            }
          });
        }
        return;
      }
      const needed = endpoint.access;

      test('refuses members of other organizations as if this organization did not exist', async () => {
        const { own, other, accounts } = organizations;
        for (const role of ROLES) {
          expect(await send(endpoint, own.name, other.keys[role])).toEqual({ status: 403, message: DENIED });
          expect(await send(endpoint, 'nowhere', other.keys[role])).toEqual({ status: 403, message: DENIED });
          expect(await send(endpoint, other.name, accounts[role])).toEqual({ status: 403, message: DENIED });
        }
      });

      test.each(ROLES.filter((role) => !mayAs(role, needed)))('refuses a %s', async (role) => {
        const { own, accounts } = organizations;
        for (const key of [own.keys[role], accounts[role]]) {
          expect(await send(endpoint, own.name, key)).toEqual({ status: 403, message: DENIED });
        }
      });

      test.each(ROLES.filter((role) => mayAs(role, needed)))('permits a %s', async (role) => {
        const { own, accounts } = organizations;
        for (const key of [own.keys[role], accounts[role]]) {
          const answer = await send(endpoint, own.name, key);
          if (WITH_A_SESSION.includes(endpoint)) expect(answer).toEqual({ status: 403, message: personConfirms.text });
          else expectPermitted(answer.status);
        }
      });

      if (endpoint.feature) {
        test('refuses every role if the feature is off', async () => {
          const { plain } = organizations;
          for (const role of ROLES) {
            expect(await send(endpoint, plain.name, plain.keys[role])).toEqual({ status: 403, message: 'Forbidden' });
          }
        });
      }
    },
  );
});
