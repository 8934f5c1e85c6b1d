import { describe, expect, it } from 'vitest';
import { ROLES } from '#shared/callers/roles.ts';
import { POLICY_SCHEMA } from '#shared/policies/rules/schema.ts';
import { organizationWith } from '#test/support/directory.ts';
import { policiesApi, refusal } from './policies-api.ts';

const api = await policiesApi();
const PATH = '/schemas/environment-policy/v1';

describe('GET /schemas/environment-policy/v1', () => {
  it('answers the JSON Schema to every credential', async () => {
    const { keys } = await organizationWith(api.services, ROLES, []);
    for (const role of ROLES) {
      expect(refusal(await api.call('GET', PATH, { key: keys[role] }))).toEqual([
        200,
        JSON.parse(JSON.stringify(POLICY_SCHEMA)),
      ]);
    }
  });

  it('is refused without a key, and with an unknown key', async () => {
    expect(refusal(await api.call('GET', PATH))).toEqual([401, { message: 'Authentication required' }]);
    expect(refusal(await api.call('GET', PATH, { key: 'nobody' }))).toEqual([
      401,
      { message: 'Invalid or expired API key' },
    ]);
  });
});
