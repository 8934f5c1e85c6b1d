import { auditGroup } from '#functions/audit/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';

export const expectationsApi = (): Promise<TestApi> =>
  testApi([expectationsGroup, environmentsGroup, tagsGroup, auditGroup]);

/** An expectation about reports of the environment `prod`. */
export const REPORTS = { name: 'alive', kind: 'reports', scope: { environments: ['prod'] }, every: 'PT20M' };

/** A new organization with the environment `prod`, and requests in the name of its admin. */
export async function expectingOrganization(api: TestApi) {
  const { name: org, id, keys } = await organizationWith(api.services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path.replace('ORG', org), { key: keys.admin, ...request });
  const send = async (method: string, path: string, json: unknown) => {
    const answer = await call(method, path, { json });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  };
  const make = (name: string, type = 'server') => send('PUT', '/environments/ORG', { name, type });
  await make('prod');
  return {
    org,
    id,
    key: keys.admin,
    call,
    send,
    make,
    put: (fields: object = {}, request: ApiRequest = {}) =>
      call('PUT', '/expectations/ORG', { json: { ...REPORTS, ...fields }, ...request }),
    get: (name = REPORTS.name) => call('GET', `/expectations/ORG/${name}`),
    list: (query = '') => call('GET', '/expectations/ORG', { query }),
    versions: (query = '', name = REPORTS.name) => call('GET', `/expectations/ORG/${name}/versions`, { query }),
    subjects: (query = '', name = REPORTS.name) => call('GET', `/expectations/ORG/${name}/subjects`, { query }),
    archive: (name = REPORTS.name) => call('POST', `/expectations/ORG/${name}/archive`),
    report: (name: string) => send('PUT', `/environments/ORG/${name}/report/server`, { artifacts: [] }),
    tag: (name: string, set_tags: object) => send('PATCH', `/tags/ORG/env/${name}`, { set_tags }),
  };
}
