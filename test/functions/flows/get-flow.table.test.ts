import { describe, expect, it } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { flowsApi, flowUnknown, HOSTILE_NAMES, newOrganization, refusal } from './flows-api.ts';

const api = await flowsApi();
const empty = await newOrganization(api);

describe('GET /flows/{org}/{flow}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/flows/${org}/web`, needs: 'reader' });

  it('answers the record, with empty objects and nulls for a new flow', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web', description: 'd' });
    const { id, created_at, ...rest } = await acme.read('web');
    expect(id).toMatch(/^[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{8}$/);
    expect(created_at).toBeCloseTo(api.services.clock.now() / 1e6, -3);
    expect(rest).toEqual({
      name: 'web',
      description: 'd',
      visibility: 'private',
      template: 'version: 1',
      tags: {},
      created_by: `${acme.org}-admin`,
      archived: false,
      latest_activity_at: null,
      latest_state: null,
      last_deployment_at: null,
      html_url: `https://api.example/${acme.org}/flows/web`,
    });
  });

  it('shows tags and the latest activity', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    const { id } = await acme.read('web');
    const { table } = api.services;
    const organization = await table.get(storedKey(`@ORG#${acme.org}`, 'ORG'));
    const org = String(organization?.['id']);
    await table.put({ ...storedKey(`${org}#FLOW#${id}`, 'TAGS'), v: 1, tags: { team: 'a' } });
    await table.put({
      ...storedKey(`${org}#CATALOGUE#flow`, `${id}#ACTIVITY`),
      v: 1,
      at: 1_500_000,
      state: 'INCOMPLETE',
    });
    const shown = { tags: { team: 'a' }, latest_activity_at: 1.5, latest_state: 'INCOMPLETE' };
    expect(await acme.read('web')).toMatchObject(shown);
    expect((await acme.list()).json).toMatchObject([shown]);
  });

  it('reads twice in sequence, and once if the name is cached', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'former' });
    await acme.rename('former', 'web');
    // At the second request, the API key, the organization and the member are cached. A former name is not cached.
    const reads = async (name: string) => {
      await acme.get(name);
      await acme.get(name);
      return api.entries.at(-1)?.['aws_sequential'];
    };
    expect(await reads('former')).toBe(2);
    expect(await reads('web')).toBe(1);
  });

  it('answers 404 if the letters of the name differ in case', async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'web' });
    expect(refusal(await acme.get('Web'))).toEqual(flowUnknown('Web', acme.org));
  });

  it.each([...HOSTILE_NAMES.filter((name) => name !== '' && !name.includes('/')), 'n'.repeat(10_000), '{org}', '%41'])(
    'answers 404 for the name %j',
    async (name) => {
      expect(refusal(await empty.get(name))).toEqual(flowUnknown(name, empty.org));
    },
  );
});
