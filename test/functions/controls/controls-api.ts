import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

export const controlsApi = (): Promise<TestApi> => testApi([controlsGroup, attestationsGroup, auditGroup, flowsGroup]);

export const refusal = ({ status, json }: TestAnswer): unknown[] => [status, json];

export const controlUnknown = (identifier: string, org: string): unknown[] => [
  404,
  { message: `Control '${identifier}' does not exist in organization '${org}'` },
];

export interface ControlsOfOrganization {
  org: string;
  id: OrganizationId;
  call(method: string, path: string, request?: ApiRequest): Promise<TestAnswer>;
  create(fields: Record<string, unknown>, request?: ApiRequest): Promise<TestAnswer>;
  update(identifier: string, fields: unknown, request?: ApiRequest): Promise<TestAnswer>;
  get(identifier: string): Promise<TestAnswer>;
  version(identifier: string, number: number | string): Promise<TestAnswer>;
  archive(identifier: string): Promise<TestAnswer>;
  unarchive(identifier: string): Promise<TestAnswer>;
  list(query?: string): Promise<TestAnswer>;
}

/** A new organization with an admin, and requests in the admin's name. */
export async function newOrganization(api: TestApi): Promise<ControlsOfOrganization> {
  const { name: org, id, keys } = await organizationWith(api.services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { key: keys.admin, ...request });
  const of = (identifier: string) => `/controls/${org}/${identifier}`;
  return {
    org,
    id,
    call,
    create: (json, request = {}) => call('POST', `/controls/${org}`, { json, ...request }),
    update: (identifier, json, request = {}) => call('PUT', of(identifier), { json, ...request }),
    get: (identifier) => call('GET', of(identifier)),
    version: (identifier, number) => call('GET', `${of(identifier)}/versions/${number}`),
    archive: (identifier) => call('POST', `${of(identifier)}/archive`, { text: 'null' }),
    unarchive: (identifier) => call('POST', `${of(identifier)}/unarchive`, { text: 'null' }),
    list: (query = '') => call('GET', `/controls/${org}`, { query }),
  };
}
