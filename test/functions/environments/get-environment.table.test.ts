import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  environmentArchived,
  environmentsApi,
  environmentUnknown,
  HOSTILE_NAMES,
  newOrganization,
  refusal,
} from './environments-api.ts';

const api = await environmentsApi();
const empty = await newOrganization(api);

/** Number of sequential AWS calls of the last request. */
const trips = () => api.entries.findLast((entry) => 'aws_sequential' in entry)?.['aws_sequential'];

describe('GET /environments/{org}/{env_name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/environments/${org}/web`, needs: 'reader' });

  it('counts reports and snapshots as changes of a physical environment', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const { last_modified_at: made } = await acme.read('web');
    const later = Math.ceil(made) + 100;
    await acme.reported('web', { r: later });
    expect(await acme.read('web')).toMatchObject({
      last_modified_at: later,
      last_reported_at: later,
      last_changed_at: null,
    });
    await acme.reported('web', { r: later + 10, c: later + 10, state: true });
    await acme.reported('web', { c: later + 20, state: false });
    expect(await acme.read('web')).toMatchObject({
      last_modified_at: later + 20,
      last_reported_at: later + 10,
      last_changed_at: later + 20,
      state: false,
    });
  });

  it("shows the time of a logical environment's newest snapshot, and no last report", async () => {
    const acme = await newOrganization(api);
    await acme.put({ name: 'all', type: 'logical' });
    const { last_modified_at: made } = await acme.read('all');
    expect(made).toBeGreaterThan(0);
    await acme.reported('all', { c: 1000, state: true });
    expect(await acme.read('all')).toMatchObject({
      last_modified_at: 1000,
      last_reported_at: null,
      last_changed_at: 1000,
      state: true,
    });
  });

  it('shows tags, and an empty object without tags', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    expect((await acme.read('web')).tags).toEqual({});
    await acme.tag('web', { tier: 'one' });
    expect((await acme.read('web')).tags).toEqual({ tier: 'one' });
  });

  it('shows policies by name in order', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('b', 'c', 'a');
    await acme.put({ name: 'web', type: 'server', policies: ['c', 'a', 'b'] });
    expect((await acme.read('web')).policies).toEqual(['a', 'b', 'c']);
  });

  it('answers with a sentence of its own for an archived environment, by each of its names', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('old');
    await acme.rename('old', 'new');
    await acme.archive('new');
    for (const name of ['old', 'new'])
      expect(refusal(await acme.get(name))).toEqual(environmentArchived(name, acme.org));
  });

  it.each([...HOSTILE_NAMES.filter((name) => name !== '' && !name.includes('/')), 'nope', 'n'.repeat(10_000)])(
    'answers 404 for the name %j',
    async (name) => {
      expect(refusal(await empty.get(name))).toEqual(environmentUnknown(name, empty.org));
    },
  );

  it('reads the name, then the record; if the name is remembered, only the record', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('p');
    await acme.withEnvironments('a', 'b');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a', 'b'], policies: ['p'] });
    await acme.rename('all', 'group');
    // An alias is read each time, since its environment has another name.
    // A logical environment with policies takes another trip, for the last reports of its members.
    await acme.get('all');
    await acme.get('all');
    expect(trips()).toBe(3);
    await acme.get('group');
    await acme.get('group');
    expect(trips()).toBe(2);
    expect(await acme.read('group')).toMatchObject({ included_environments: ['a', 'b'], policies: ['p'] });
  });

  it('reads new references in a second round trip', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'] });
    await acme.read('all');
    await acme.join('all', 'b');
    await acme.rename('a', 'z');
    expect((await acme.read('all')).included_environments).toEqual(['z', 'b']);
    await acme.put({ name: 'all', type: 'logical', included_environments: ['b'] });
    expect((await acme.read('all')).included_environments).toEqual(['b']);
  });

  it('ignores a remembered name that another environment has taken', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.read('a');
    await acme.rename('a', 'z');
    await acme.rename('b', 'a');
    expect(await acme.found('a')).toEqual(['b', 'a']);
    await acme.archive('a');
    await acme.put({ name: 'a', type: 'server', description: 'third' });
    expect(await acme.found('a')).toEqual(['third', 'a']);
  });
});
