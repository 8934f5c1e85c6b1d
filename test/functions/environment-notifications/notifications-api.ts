import { actionsGroup } from '#functions/actions/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { type EnvironmentId, type Id, newId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Role } from '#shared/callers/roles.ts';
import { archiveEnvironment } from '#shared/environments/records/environment-archive.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { newEnvironmentWrites, renameEnvironment } from '#shared/environments/records/environment-writes.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { testName } from '#test/support/ids.ts';
import { type ActionJson, newOrganization as actionsOrganization, aWebhook } from '../actions/actions-api.ts';

export const notificationsApi = (): Promise<TestApi> => testApi([environmentNotificationsGroup, actionsGroup]);

export const aNotification = (overrides: Record<string, unknown> = {}) => ({
  name: 'watch',
  type: 'env',
  environments: ['prod'],
  triggers: ['ON_NON_COMPLIANT_ENV'],
  targets: [aWebhook()],
  ...overrides,
});

/** Creates an organization with one member per role and the environment `prod`. Calls are made as the admin by default. */
export async function newOrganization(api: TestApi) {
  const { table, clock } = api.services;
  const actions = await actionsOrganization(api);
  const { id } = actions;
  const collection = `/organizations/${actions.org}/environments_notifications`;
  const headOf = async (name: string): Promise<EnvironmentHead> => {
    const head = await findEnvironment(table, id, testName(name));
    if (!head) throw new Error(`${name} is not there`);
    return head;
  };
  const own = {
    actions,
    org: actions.org,
    id,
    collection,
    call: actions.call,
    put: (notification: unknown, request: ApiRequest & { as?: Role } = {}) =>
      actions.call('PUT', collection, { json: notification, ...request }),
    change: (number: number | string, notification: unknown, request: ApiRequest & { as?: Role } = {}) =>
      actions.call('PUT', `${collection}/${number}`, { json: notification, ...request }),
    get: (number: number | string) => actions.call('GET', `${collection}/${number}`),
    async read(number: number): Promise<ActionJson> {
      const { status, json } = await own.get(number);
      if (status !== 200) throw new Error(`Notification ${number} is not there: ${status}`);
      return json as ActionJson;
    },
    async list(): Promise<ActionJson[]> {
      return (await actions.call('GET', collection)).json as ActionJson[];
    },
    remove: (number: number | string) => actions.call('DELETE', `${collection}/${number}`, { text: 'null' }),
    async newEnvironment(name: string): Promise<Id> {
      const at = clock.now();
      const environment = {
        id: newId<EnvironmentId>(at),
        name: testName<EnvironmentName>(name),
        kind: 'server' as const,
        at,
        by: 'ada',
      };
      const { head, writes } = newEnvironmentWrites(id, environment, () => 'taken' as const);
      await table.transact(writes);
      return head.id;
    },
    rename: async (name: string, next: string) =>
      renameEnvironment(table, id, await headOf(name), testName(next), clock.now(), () => []),
    archive: async (name: string) =>
      archiveEnvironment(api.services.table, id, await headOf(name), clock.now(), {
        others: () => [],
        audited: () => [],
      }),
  };
  await own.newEnvironment('prod');
  return own;
}
