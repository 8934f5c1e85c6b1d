import { flowsGroup } from '#functions/flows/endpoints.ts';
import type { Role } from '#shared/callers/roles.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

/** The fields of a flow that tests check. */
export interface FlowRecord {
  name: string;
  description: string;
  visibility: string;
  template: string | string[];
  tags: Record<string, string>;
  latest_activity_at: number | null;
  latest_state: string | null;
  [field: string]: unknown;
}

export interface FlowsOfOrganization {
  org: string;
  call(method: string, path: string, request?: ApiRequest & { as?: Role }): Promise<TestAnswer>;
  /** Creates or updates by JSON. */
  put(fields: Record<string, unknown>, request?: ApiRequest): Promise<TestAnswer>;
  /** Creates or updates by form; the form has no template part if `template` is absent. */
  putForm(fields: Record<string, unknown>, template?: string | Uint8Array<ArrayBuffer>): Promise<TestAnswer>;
  rename(flow: string, to: unknown, request?: ApiRequest): Promise<TestAnswer>;
  archive(flow: string, request?: ApiRequest): Promise<TestAnswer>;
  /** Archives an existing flow. @returns its long name */
  archivedAs(flow: string): Promise<string>;
  get(flow: string): Promise<TestAnswer>;
  /** Reads the record of an existing flow. */
  read(flow: string): Promise<FlowRecord>;
  list(query?: string): Promise<TestAnswer>;
  names(query?: string): Promise<string[]>;
}

export const flowsApi = (): Promise<TestApi> => testApi([flowsGroup]);

/** Creates an organization with an admin, who makes the calls. */
export async function newOrganization(api: TestApi): Promise<FlowsOfOrganization> {
  const { name: org, keys } = await organizationWith(api.services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { key: keys.admin, ...request });
  const get = (flow: string) => call('GET', `/flows/${org}/${flow}`);
  const archive = (flow: string, request?: ApiRequest) =>
    call('PUT', `/flows/${org}/${flow}/archive`, { text: 'null', ...request });
  const list = (query = '') => call('GET', `/flows/${org}`, { query });
  return {
    org,
    call,
    get,
    list,
    put: (fields, request) => call('PUT', `/flows/${org}`, { json: fields, ...request }),
    putForm: (fields, template) =>
      call('PUT', `/flows/${org}/template_file`, {
        form: {
          fields: { data_json: JSON.stringify(fields) },
          ...(template !== undefined && { files: { template_file: template } }),
        },
      }),
    rename: (flow, to, request) => call('PUT', `/flows/${org}/${flow}/rename`, { json: { new_name: to }, ...request }),
    archive,
    async archivedAs(flow) {
      const first = Math.floor(api.services.clock.now() / 1e6);
      const { status } = await archive(flow);
      if (status !== 200) throw new Error(`${flow} was not archived: ${status}`);
      const last = Math.floor(api.services.clock.now() / 1e6) + 1;
      for (let second = last; second >= first; second -= 1) {
        const name = `${flow}-archived-at-${second}`;
        if ((await get(name)).status === 200) return name;
      }
      throw new Error(`${flow} is gone`);
    },
    async read(flow) {
      const { status, json } = await get(flow);
      if (status !== 200) throw new Error(`${flow} is not there: ${status}`);
      return json as FlowRecord;
    },
    async names(query) {
      const { json } = await list(query);
      const flows = Array.isArray(json) ? json : (json as { data: FlowRecord[] }).data;
      return flows.map(({ name }: FlowRecord) => name);
    },
  };
}

/** Status and body of an answer. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];

export const flowUnknown = (flow: string, org: string) => [
  404,
  { message: `Flow named '${flow}' does not exist for organization '${org}'` },
];

export const badName = (name: string) =>
  String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: ${name}]`;

/** Names that no flow can have: each tries to break a key, a path or a pattern. */
export const HOSTILE_NAMES = ['a/b', 'a#b', 'a\u0000b', '..', '.', '', ' ', 'foo bar', '-a', '_a', '~a', 'größe', '流'];
