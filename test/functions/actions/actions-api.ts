import { actionsGroup } from '#functions/actions/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { newId } from '#shared/base/ids.ts';
import { ROLES, type Role } from '#shared/callers/roles.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { newDelivery } from '#shared/notifications/records/deliveries.ts';
import type { ActionRecord, Delivery, Target } from '#shared/notifications/rules/records.ts';
import { testNotice } from '#shared/notifications/rules/triggers.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

/** The fields of an action that tests check. */
export interface ActionJson {
  name: string;
  type: string;
  number: number;
  targets: Record<string, unknown>[];
  triggers: string[];
  flows: string[];
  environments: string[];
  created_at: number;
  last_modified_at: number;
  is_failing: boolean;
  [field: string]: unknown;
}

export interface DeliveryJson {
  id: string;
  state: string;
  event: Record<string, unknown>;
  attempts: Record<string, unknown>[];
  [field: string]: unknown;
}

export const actionsApi = (): Promise<TestApi> => testApi([actionsGroup, flowsGroup]);

export const HOOK = 'https://hooks.example.com/a';
export const aWebhook = (overrides: Record<string, unknown> = {}) => ({ type: 'WEBHOOK', webhook: HOOK, ...overrides });
export const anAction = (overrides: Record<string, unknown> = {}) => ({
  name: 'tell',
  type: 'flow',
  triggers: ['ON_ATTESTATION'],
  targets: [aWebhook()],
  ...overrides,
});

/** Creates an organization with one member per role. Calls are made as the admin by default. */
export async function newOrganization(api: TestApi) {
  const { name: org, id, keys } = await organizationWith(api.services, ROLES);
  const { table, clock } = api.services;
  const call = (method: string, path: string, { as = 'admin', ...request }: ApiRequest & { as?: Role } = {}) =>
    api.call(method, path, { key: keys[as], ...request });
  const at = (rest: string | number) => `/actions/${org}/${rest}`;
  const own = {
    org,
    id,
    call,
    at,
    put: (action: unknown, request: ApiRequest & { as?: Role } = {}): Promise<TestAnswer> =>
      call('PUT', at('flows'), { json: action, ...request }),
    get: (number: number | string) => call('GET', at(number)),
    /** Reads an action that exists. */
    async read(number: number): Promise<ActionJson> {
      const { status, json } = await own.get(number);
      if (status !== 200) throw new Error(`Action ${number} is not there: ${status}`);
      return json as ActionJson;
    },
    async list(query = ''): Promise<ActionJson[]> {
      return (await call('GET', `/actions/${org}`, { query })).json as ActionJson[];
    },
    remove: (number: number | string) => call('DELETE', at(number), { text: 'null' }),
    putFlow: (name: string) => call('PUT', `/flows/${org}`, { json: { name } }),
    async deliveries(number: number, query = ''): Promise<{ deliveries: DeliveryJson[]; next_cursor: string | null }> {
      const { status, json } = await call('GET', at(`${number}/deliveries`), { query });
      if (status !== 200) throw new Error(`No deliveries of ${number}: ${status}`);
      return json as { deliveries: DeliveryJson[]; next_cursor: string | null };
    },
    async stored(number: number): Promise<ActionRecord> {
      const action = await findAction(table, id, number);
      if (!action) throw new Error(`Action ${number} is not stored`);
      return action;
    },
    /** Makes a delivery to an action's first target without storing it. */
    async aDelivery(number: number, eventAt = clock.now()): Promise<Delivery> {
      const action = await own.stored(number);
      const notice = testNotice(action, org, newId(eventAt), eventAt);
      return newDelivery(notice, number, firstTarget(action), clock.now());
    },
  };
  return own;
}

export function firstTarget({ targets: [target] }: ActionRecord): Target {
  if (!target) throw new Error('An action without targets');
  return target;
}

/** Status and body of the answer to a refused request. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];
export const NOT_FOUND = [404, { message: 'Action not found' }];
export const refused = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];
