import { auditGroup } from '#functions/audit/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { type Feature, ROLES, type Role } from '#shared/callers/roles.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { type ApiRequest, type TestApi, testApi } from './api.ts';
import { organizationWith, uniqueName } from './directory.ts';
import type { TestAnswer } from './gateway.ts';

export const DENIED = [403, { message: "You don't have permission to access this resource" }];
export const BAD_KEY = [401, { message: 'Invalid or expired API key' }];
export const UUID = /^[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{8}$/;
export const SECRET = /^dek_[A-Za-z0-9_-]{43}$/;

export const refusal = ({ status, json }: TestAnswer) => [status, json];
export const refused = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];

/** What organizations run themselves with: service accounts, keys, members, features, the audit log. */
export const adminApi = (): Promise<TestApi> =>
  testApi([serviceAccountsGroup, tokenGroup, userGroup, organizationsGroup, auditGroup]);

export interface Member {
  id: string | null;
  name: string;
  role: string;
  added_at: number;
  is_invited: boolean;
}

export interface AuditEntry {
  id: string;
  at: number;
  actor: { kind: string; id: string; name: string; key_id: string | null };
  kind: string;
  subject: { type: string; id: string | null; name: string };
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  hash: string | null;
  unreadable?: true;
}

/** An organization with one user of each role; requests are its admin's unless another key is given. */
export async function newOrganization(api: TestApi, features?: readonly Feature[]) {
  const { name: org, keys } = await organizationWith(api.services, ROLES, features);
  return organizationOf(api, org, keys);
}

export function organizationOf<R extends Role>(api: TestApi, org: string, keys: Record<R | 'admin', string>) {
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path.replace('ORG', org), { key: keys.admin, ...request });
  const accounts = (path = '') => `/service-accounts/${org}${path}`;
  return {
    org,
    keys,
    call,
    create: (json: unknown, request: ApiRequest = {}) => call('POST', accounts(), { json, ...request }),
    account: (name: string, request: ApiRequest = {}) => call('GET', accounts(`/${name}`), request),
    patch: (name: string, json: unknown, request: ApiRequest = {}) =>
      call('PATCH', accounts(`/${name}`), { json, ...request }),
    remove: (name: string, request: ApiRequest = {}) =>
      call('DELETE', accounts(`/${name}`), { text: 'null', ...request }),
    keysOf: (name: string, path = '') => accounts(`/${name}/api-keys${path}`),
    /** A key of an account. */
    issue: async (name: string, json: Record<string, unknown> = {}, request: ApiRequest = {}) => {
      const answer = await call('POST', accounts(`/${name}/api-keys`), {
        json: { description: 'd', ...json },
        ...request,
      });
      if (answer.status !== 201) throw new Error(`No key was issued: ${answer.text}`);
      return answer.json as { id: string; key: string; description: string; created_at: number; expires_at: number };
    },
    members: async (request: ApiRequest = {}) =>
      (await call('GET', `/organizations/${org}/members`, request)).json as Member[],
    put: (user: string, role: unknown, request: ApiRequest = {}) =>
      call('PUT', `/organizations/${org}/members/${user}`, { json: { role }, ...request }),
    /** Makes a user a member at once, as only the operator can. */
    enroll: async (user: string, role: string) => {
      const done = await runOperator(api.services, { command: 'add-member', organization: org, user, role });
      if (!done.ok) throw new Error(done.message);
    },
    /** Lets the organization name domains and groups in its sign-in rules. */
    grant: async (names: { domain?: string[]; group?: string[]; shared?: boolean }) => {
      const done = await runOperator(api.services, { command: 'grant-sign-in', organization: org, ...names });
      if (!done.ok) throw new Error(done.message);
    },
    dismiss: (user: string, request: ApiRequest = {}) =>
      call('DELETE', `/organizations/${org}/members/${user}`, { text: 'null', ...request }),
    audit: async (query = ''): Promise<AuditEntry[]> => {
      const { json } = await call('GET', `/audit/${org}`, { query: `per_page=100&${query}` });
      return (json as { entries: AuditEntry[] }).entries;
    },
    /** Whether a secret opens the door, and as what it is refused. */
    tryKey: async (key: string) => refusal(await call('GET', accounts(), { key })),
  };
}
export type AdminOrganization = Awaited<ReturnType<typeof newOrganization>>;

/** Creates a user with a personal and a shared organization, as the tests of the clients need it. */
export async function newUser(api: TestApi) {
  const user = uniqueName('user');
  const shared = `${user}-shared`;
  const key = `key-of-${user}`;
  const members = [{ user, role: 'admin', api_key: key }];
  await applySeed(api.services, {
    organizations: [
      { name: user, personal: true, members },
      { name: shared, members },
    ],
  });
  return { user, shared, key };
}
