import { toSeconds } from '#shared/base/time.ts';
import { adminApi, newOrganization } from '#test/support/admin.ts';
import type { TestApi } from '#test/support/api.ts';

export const NO_ACCOUNT = [404, { message: 'Service account not found' }];
export const NO_KEY = [404, { message: 'API key not found' }];
/** An id that no key has. */
export const NOBODYS = '0192f3a4-b5c6-4d7e-8f90-a1b2c3d4';
/** In seconds. */
export const HOUR = 3600;

export interface KeyJson {
  id: string;
  key: string;
  description: string;
  created_at: number;
  expires_at: number;
  last_used_at: number;
  grace_period_expires_at: number;
}

/** The API with a clock in seconds, the unit of times of keys. */
export async function keysApi() {
  const api = await adminApi();
  const { clock } = api.services;
  return {
    api,
    seconds: () => Math.floor(toSeconds(clock.now())),
    wait: (seconds: number) => clock.advance(seconds * 1_000_000),
    withRobot: (privilege = 'reader') => withRobot(api, privilege),
  };
}

/** An organization with a service account, and requests about the account's keys. */
async function withRobot(api: TestApi, privilege: string) {
  const acme = await newOrganization(api);
  await acme.create({ name: 'robot', privilege });
  const at = (path = '') => acme.keysOf('robot', path);
  return {
    ...acme,
    at,
    list: async () => (await acme.call('GET', at())).json as KeyJson[],
    get: (id: string) => acme.call('GET', at(`/${id}`)),
    rotate: (id: string, json?: unknown) =>
      acme.call('POST', at(`/${id}/rotate`), json === undefined ? { text: 'null' } : { json }),
    revoke: (id: string) => acme.call('DELETE', at(`/${id}`), { text: 'null' }),
  };
}
