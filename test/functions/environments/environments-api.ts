import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import type { Role } from '#shared/callers/roles.ts';
import { ROLES } from '#shared/callers/roles.ts';
import { entryUpdate, headWrites } from '#shared/environments/records/environment-head.ts';
import type { EnvironmentEntry, EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import { environmentTagsKey } from '#shared/environments/records/keys.ts';
import { storedKey } from '#shared/table/keys.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { testId } from '#test/support/ids.ts';

/** The record of an environment as tests look at it. */
export interface EnvironmentRecord {
  org: string;
  name: string;
  type: string;
  description: string;
  last_modified_at: number;
  last_reported_at: number | null;
  last_changed_at: number | null;
  state: boolean | null;
  tags: Record<string, string>;
  policies: string[];
  included_environments: string[] | null;
  [field: string]: unknown;
}

export const environmentsApi = (): Promise<TestApi> => testApi([environmentsGroup, policiesGroup]);

/** A policy that asks for provenance. */
const POLICY = `_schema: https://docs.example/schemas/policy/environment/v1
artifacts: {provenance: {required: true}}
`;

export type EnvironmentsOfOrganization = Awaited<ReturnType<typeof newOrganization>>;

/** A new organization with a member per role, and calls in the admin's name. */
export async function newOrganization(api: TestApi) {
  const { services } = api;
  const { name: org, id, keys } = await organizationWith(services, ROLES);
  const call = (method: string, path: string, { as = 'admin', ...request }: ApiRequest & { as?: Role } = {}) =>
    api.call(method, path, { key: keys[as], ...request });
  const at = (name: string, rest = '') => `/environments/${org}/${name}${rest}`;
  const own = {
    org,
    id,
    call,
    put: (fields: Record<string, unknown>, request: ApiRequest & { as?: Role } = {}): Promise<TestAnswer> =>
      call('PUT', `/environments/${org}`, { json: fields, ...request }),
    patch: (name: string, fields: unknown, request: ApiRequest = {}): Promise<TestAnswer> =>
      call('PATCH', at(name), { json: fields, ...request }),
    rename: (name: string, to: unknown, request: ApiRequest = {}): Promise<TestAnswer> =>
      call('PUT', at(name, '/rename'), { json: { new_name: to }, ...request }),
    archive: (name: string, request: ApiRequest = {}): Promise<TestAnswer> =>
      call('PUT', at(name, '/archive'), { text: 'null', ...request }),
    join: (logical: string, member: unknown, request: ApiRequest = {}): Promise<TestAnswer> =>
      call('PUT', at(logical, '/join'), { json: { physical_env_name: member }, ...request }),
    get: (name: string): Promise<TestAnswer> => call('GET', at(name)),
    list: (query = ''): Promise<TestAnswer> => call('GET', `/environments/${org}`, { query }),
    /** Makes physical environments of type `server`, each described by the name that it begins with. */
    async withEnvironments(...names: string[]): Promise<void> {
      for (const name of names) await own.put({ name, type: 'server', description: name });
    },
    async withPolicies(...names: string[]): Promise<void> {
      for (const name of names) {
        const form = { fields: { payload: JSON.stringify({ name }) }, files: { policy_file: POLICY } };
        const { status } = await call('PUT', `/policies/${org}`, { form });
        if (status !== 201) throw new Error(`${name} was not made: ${status}`);
      }
    },
    /** Reads the record of an existing environment. */
    async read(name: string): Promise<EnvironmentRecord> {
      const { status, json } = await own.get(name);
      if (status !== 200) throw new Error(`${name} is not there: ${status}`);
      return json as EnvironmentRecord;
    },
    /** Which environment a name leads to: the name that it began with, and the present one. */
    async found(name: string): Promise<[string, string]> {
      const record = await own.read(name);
      return [record.description, record.name];
    },
    async names(query?: string): Promise<string[]> {
      const { json } = await own.list(query);
      const all = Array.isArray(json) ? json : (json as { environments: EnvironmentRecord[] }).environments;
      return all.map(({ name }: EnvironmentRecord) => name);
    },
    /** The id to which a present or former name leads. */
    async environmentId(name: string): Promise<EnvironmentId> {
      const item = await services.table.get(storedKey(`${id}#ENVNAME#${name}`, 'NAME'));
      if (!item) throw new Error(`${name} is not there`);
      return testId(String(item['environment']));
    },
    async head(name: string): Promise<EnvironmentHead> {
      const head = await readEnvironmentHead(services.table, id, await own.environmentId(name));
      if (!head) throw new Error(`${name} has no head`);
      return head;
    },
    /** As if a report had been accepted (`r`) and had made a snapshot (`c`), in seconds. */
    async reported(name: string, { r, c, state = null }: { r?: number; c?: number; state?: boolean | null }) {
      const head = await own.head(name);
      const times: Partial<EnvironmentEntry> = {
        ...(r !== undefined && { r: micros(r * 1e6) }),
        ...(c !== undefined && { c: micros(c * 1e6) }),
      };
      const fault = () => {
        throw new Error(`${name} changed meanwhile`);
      };
      await services.table.transact([
        entryUpdate(id, head.id, times, fault),
        ...(c === undefined
          ? []
          : headWrites(id, head, { snapshot: { index: head.index + 1, at: micros(c * 1e6), state } }, fault)),
      ]);
    },
    async tag(name: string, tags: Record<string, string>): Promise<void> {
      await services.table.put({ ...environmentTagsKey(id, await own.environmentId(name)), v: 1, tags });
    },
  };
  return own;
}

/** What a refused request answers: status and body. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];
/** A 400 with exactly these fields. */
export const refused = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];
export const environmentUnknown = (name: string, org: string) => [
  404,
  { message: `Environment named '${name}' does not exist for organization '${org}'` },
];
export const environmentArchived = (name: string, org: string) => [
  404,
  { message: `Environment named '${name}' has been archived for organization '${org}'` },
];
export const badName = (name: string) =>
  String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$' [input: ${name}]`;

/** Names that no environment can have. */
export const HOSTILE_NAMES = [
  'a/b',
  'a#b',
  'a~b',
  'a\u0000b',
  '..',
  '.',
  '',
  ' ',
  'foo bar',
  '-a',
  '_a',
  'größe',
  '流',
];
