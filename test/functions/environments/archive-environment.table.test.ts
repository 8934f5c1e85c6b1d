import { describe, expect, it } from 'vitest';
import { retrying } from '#shared/base/retry.ts';
import { environmentDetailsPartition, environmentTagsKey } from '#shared/environments/records/keys.ts';
import { listActions } from '#shared/notifications/records/actions.ts';
import { describeAccess } from '#test/support/access.ts';
import { testPartition } from '#test/support/ids.ts';
import { createAction } from '#test/support/records/notified.ts';
import {
  type EnvironmentsOfOrganization,
  environmentArchived,
  environmentsApi,
  environmentUnknown,
  HOSTILE_NAMES,
  newOrganization,
  refusal,
} from './environments-api.ts';

const api = await environmentsApi();
const empty = await newOrganization(api);
const OK = [200, 'OK'];

/** Makes a notification for environments, as its endpoint does. */
async function notify(acme: EnvironmentsOfOrganization, name: string, environments: string[], kind = 'env' as const) {
  const ids = await Promise.all(environments.map((environment) => acme.environmentId(environment)));
  const given = {
    name,
    triggers: [],
    flows: [],
    environments: ids,
    targets: [{ key: 'k', type: 'EMAIL' as const, emails: ['ada@example.com'] }],
  };
  const stamp = { at: api.services.clock.now(), by: 'ada' };
  await retrying(() => createAction(api.services.table, acme.id, kind, given, 'whsec_AAAA', stamp));
}

/** Names of the existing notifications, with the number of their environments. */
const notifications = async (acme: EnvironmentsOfOrganization) =>
  (await listActions(api.services.table, acme.id)).map((action) =>
    'unreadable' in action ? [action.number] : [action.name, action.environments.length],
  );

describe('PUT /environments/{org}/{env_name}/archive', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/environments/${org}/web/archive`,
    request: { text: 'null' },
    needs: 'member',
  });

  it.each(['null', '', '{}'])('takes an environment out of the list by a request with the body %j', async (text) => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web', 'stays');
    expect(refusal(await acme.archive('web', { text }))).toEqual(OK);
    expect(await acme.names()).toEqual(['stays']);
    expect(refusal(await acme.get('web'))).toEqual(environmentArchived('web', acme.org));
  });

  it('keeps the record of the environment under its id', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    await acme.reported('web', { c: 100, state: true });
    await acme.archive('web');
    expect(await acme.head('web')).toMatchObject({ name: 'web', index: 1, state: true, archived: expect.any(Number) });
  });

  it('can be addressed by a former name', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('old');
    await acme.rename('old', 'new');
    expect(refusal(await acme.archive('old'))).toEqual(OK);
    expect(await acme.names()).toEqual([]);
  });

  it('answers the archived sentence the second time', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    await acme.archive('web');
    expect(refusal(await acme.archive('web'))).toEqual(environmentArchived('web', acme.org));
  });

  it('removes it from the logical environments that have it as a member', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await acme.put({ name: 'one', type: 'logical', included_environments: ['a', 'b'] });
    await acme.put({ name: 'two', type: 'logical', included_environments: ['a'] });
    expect(refusal(await acme.archive('a'))).toEqual(OK);
    expect((await acme.read('one')).included_environments).toEqual(['b']);
    expect((await acme.read('two')).included_environments).toEqual([]);
    const pk = testPartition(`${acme.id}#ENV#${await acme.environmentId('a')}`);
    expect(await api.services.table.query({ pk, prefix: 'IN#' })).toEqual([]);
  });

  it('frees the members of a logical environment', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'] });
    expect(refusal(await acme.archive('all'))).toEqual(OK);
    const pk = testPartition(`${acme.id}#ENV#${await acme.environmentId('a')}`);
    expect(await api.services.table.query({ pk, prefix: 'IN#' })).toEqual([]);
    expect(refusal(await acme.archive('a'))).toEqual(OK);
  });

  it('moves description and tags out of what lists read, also a tag named constructor', async () => {
    const acme = await newOrganization(api);
    const { table } = api.services;
    await acme.put({ name: 'a', type: 'server', description: 'text' });
    const id = await acme.environmentId('a');
    const tags = new Map([['constructor', 'x']]);
    await table.put({ ...environmentTagsKey(acme.id, id), v: 1, tags, rev: 1 });
    expect(refusal(await acme.archive('a'))).toEqual(OK);
    const own = await table.query({ pk: testPartition(`${acme.id}#ENV#${id}`) });
    expect(own.map(({ sk }) => sk)).toEqual(['FACTS', 'HEAD', 'TAGS']);
    expect(Object.entries(own[2]?.['tags'] ?? {})).toEqual([['constructor', 'x']]);
    expect(await table.query({ pk: environmentDetailsPartition(acme.id) })).toEqual([]);
  });

  it('detaches its policies', async () => {
    const acme = await newOrganization(api);
    await acme.withPolicies('p');
    await acme.put({ name: 'a', type: 'server', policies: ['p'] });
    await acme.put({ name: 'b', type: 'server', policies: ['p'] });
    await acme.archive('a');
    const { json } = await acme.call('GET', `/policies/${acme.org}/p`);
    expect(json).toMatchObject({ consuming_envs: ['b'] });
  });

  it('deletes notifications without other environments, and keeps the rest', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a', 'b');
    await notify(acme, 'of-a', ['a']);
    await notify(acme, 'of-both', ['a', 'b']);
    await notify(acme, 'of-b', ['b']);
    await acme.archive('a');
    expect(await notifications(acme)).toEqual([
      ['of-both', 1],
      ['of-b', 1],
    ]);
    await acme.archive('b');
    expect(await notifications(acme)).toEqual([]);
    await acme.withEnvironments('a');
    await notify(acme, 'of-a', ['a']);
    expect(await notifications(acme)).toEqual([['of-a', 1]]);
  });

  it('removes more references than fit into one transaction', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    for (let i = 0; i < 35; i += 1) await notify(acme, `n${i}`, ['a']);
    await acme.put({ name: 'all', type: 'logical', included_environments: ['a'] });
    expect(refusal(await acme.archive('a'))).toEqual(OK);
    expect(await notifications(acme)).toEqual([]);
    expect((await acme.read('all')).included_environments).toEqual([]);
    expect(await acme.names()).toEqual(['all']);
  });

  it('succeeds for one of two requests at once, and does not archive another environment that takes the name', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const answers = await Promise.all([acme.archive('web'), acme.archive('web')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect(await acme.names()).toEqual([]);
  });

  it('is not undone by a change of settings at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const [archived, changed] = await Promise.all([acme.archive('web'), acme.patch('web', { description: 'd' })]);
    expect([archived.status, [200, 404].includes(changed.status)]).toEqual([200, true]);
    expect(await acme.names()).toEqual([]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('web');
    const headers = { 'idempotency-key': 'archive-once' };
    expect((await acme.archive('web', { headers })).status).toBe(200);
    await acme.withEnvironments('web');
    expect((await acme.archive('web', { headers })).status).toBe(200);
    expect(await acme.names()).toEqual(['web']);
  });

  it.each([...HOSTILE_NAMES.filter((name) => name !== '' && !name.includes('/')), 'nope', 'n'.repeat(10_000)])(
    'answers 404 for the name %j',
    async (name) => {
      expect(refusal(await empty.archive(name))).toEqual(environmentUnknown(name, empty.org));
    },
  );
});
