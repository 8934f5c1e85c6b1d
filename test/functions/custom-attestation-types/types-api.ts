import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

export interface TypeVersionRecord {
  version: number;
  timestamp: number;
  created_by: string;
  type_schema: unknown;
  evaluator: { content_type: string; rules?: string[] };
  summary: { name: string; expression: string }[] | null;
}

/** The fields of a type that tests check. */
export interface TypeRecord {
  name: string;
  description?: string;
  archived: boolean;
  created_at: number;
  last_modified_at: number;
  versions: TypeVersionRecord[];
}

export interface TypesOfOrganization {
  org: string;
  /** The organization's immutable id. */
  id: OrganizationId;
  call(method: string, path: string, request?: ApiRequest): Promise<TestAnswer>;
  /** Creates a type or a version; the form has no schema part if `schema` is absent. */
  post(
    fields: unknown,
    schema?: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
  get(name: string, query?: string): Promise<TestAnswer>;
  /** Reads the record of an existing type. */
  read(name: string): Promise<TypeRecord>;
  archive(name: string, request?: ApiRequest): Promise<TestAnswer>;
  list(query?: string): Promise<TestAnswer>;
  names(query?: string): Promise<string[]>;
}

export const typesApi = (): Promise<TestApi> => testApi([customAttestationTypesGroup]);

const PATH = '/custom-attestation-types';

/** Creates an organization with an admin, who makes the calls. */
export async function newOrganization(api: TestApi): Promise<TypesOfOrganization> {
  const { name: org, id, keys } = await organizationWith(api.services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { key: keys.admin, ...request });
  const get = (name: string, query = '') => call('GET', `${PATH}/${org}/${name}`, { query });
  const list = (query = '') => call('GET', `${PATH}/${org}`, { query });
  return {
    org,
    id,
    call,
    get,
    list,
    post: (fields, schema, headers = {}) =>
      call('POST', `${PATH}/${org}`, {
        headers,
        form: {
          fields: { data_json: JSON.stringify(fields) },
          ...(schema !== undefined && { files: { type_schema: schema } }),
        },
      }),
    archive: (name, request) => call('PUT', `${PATH}/${org}/${name}/archive`, { text: 'null', ...request }),
    async read(name) {
      const { status, json } = await get(name);
      if (status !== 200) throw new Error(`${name} is not there: ${status}`);
      return json as TypeRecord;
    },
    async names(query) {
      return ((await list(query)).json as TypeRecord[]).map(({ name }) => name);
    },
  };
}

/** Status and body of an answer. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];

export const typeUnknown = (name: string, org: string) => [
  404,
  { message: `Custom attestation type '${name}' does not exist for org '${org}'` },
];

/** The answer 400 with exactly these errors. */
export const refused = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];

/** Names that no type can have: each tries to break a key or a pattern, and fits into one segment of a path. */
export const HOSTILE_NAMES = ['a#b', 'a\u0000b', '..', ' ', 'foo bar', '-a', '_a', '~a', 'größe', '流'];

export const jq = (...rules: string[]) => ({ content_type: 'jq', rules });
