import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  environmentArchived,
  environmentsApi,
  environmentUnknown,
  newOrganization,
  refusal,
  refused,
} from './environments-api.ts';

const api = await environmentsApi();
const refusing = await newOrganization(api);
await refusing.withEnvironments('web', 'gone');
await refusing.archive('gone');
await refusing.put({ name: 'all', type: 'logical' });
await refusing.put({ name: 'other', type: 'logical' });

const OK = [200, 'OK'];

describe('PUT /environments/{org}/{env_name}/join', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/environments/${org}/all/join`,
    request: { json: { physical_env_name: 'web' } },
    needs: 'member',
  });

  it('adds members in the order in which they join, each once', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('b', 'a');
    await acme.put({ name: 'all', type: 'logical' });
    for (const member of ['b', 'a', 'b']) expect(refusal(await acme.join('all', member))).toEqual(OK);
    expect((await acme.read('all')).included_environments).toEqual(['b', 'a']);
    expect((await acme.head('all')).rev).toBe(3);
  });

  it('finds both environments by former names', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    await acme.put({ name: 'all', type: 'logical' });
    await acme.rename('a', 'b');
    await acme.rename('all', 'group');
    expect(refusal(await acme.join('all', 'a'))).toEqual(OK);
    expect((await acme.read('group')).included_environments).toEqual(['b']);
  });

  it('keeps all members that join at once', async () => {
    const acme = await newOrganization(api);
    const names = ['a', 'b', 'c', 'd'];
    await acme.withEnvironments(...names);
    await acme.put({ name: 'all', type: 'logical' });
    const answers = await Promise.all(names.map((name) => acme.join('all', name)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await acme.read('all')).included_environments?.toSorted()).toEqual(names);
  });

  it('has no archived member, for any order of joining and archiving', async () => {
    for (let round = 0; round < 5; round += 1) {
      const acme = await newOrganization(api);
      await acme.withEnvironments('a');
      await acme.put({ name: 'all', type: 'logical' });
      const [joined, archived] = await Promise.all([acme.join('all', 'a'), acme.archive('a')]);
      expect([[200, 404].includes(joined.status), archived.status]).toEqual([true, 200]);
      expect((await acme.read('all')).included_environments).toEqual([]);
    }
  });

  it('refuses to add to a physical environment, and to add a logical one', async () => {
    expect(refusal(await refusing.join('web', 'web'))).toEqual(
      refused({ env_name: 'Only a logical environment includes others [input: web]' }),
    );
    const text = "Environment named 'other' is logical: only physical environments can be included [input: other]";
    expect(refusal(await refusing.join('all', 'other'))).toEqual(refused({ physical_env_name: text }));
    expect((await refusing.join('all', 'all')).status).toBe(400);
  });

  it('answers 404 if one of the two is unknown or archived', async () => {
    const { org } = refusing;
    expect(refusal(await refusing.join('nope', 'web'))).toEqual(environmentUnknown('nope', org));
    expect(refusal(await refusing.join('gone', 'web'))).toEqual(environmentArchived('gone', org));
    expect(refusal(await refusing.join('all', 'nope'))).toEqual(environmentUnknown('nope', org));
    expect(refusal(await refusing.join('all', 'a#b'))).toEqual(environmentUnknown('a#b', org));
    expect(refusal(await refusing.join('all', 'gone'))).toEqual(environmentArchived('gone', org));
  });

  it.each([
    [undefined, 'Field required [input: None]'],
    [null, 'Input should be a valid string [input: None]'],
    [7, 'Input should be a valid string [input: 7]'],
  ])('refuses %j as a member', async (name, text) => {
    expect(refusal(await refusing.join('all', name))).toEqual(refused({ physical_env_name: text }));
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    await acme.withEnvironments('a');
    await acme.put({ name: 'all', type: 'logical' });
    const headers = { 'idempotency-key': 'join-once' };
    await acme.join('all', 'a', { headers });
    await acme.patch('all', { included_environments: [] });
    expect(refusal(await acme.join('all', 'a', { headers }))).toEqual(OK);
    expect((await acme.read('all')).included_environments).toEqual([]);
  });
});
