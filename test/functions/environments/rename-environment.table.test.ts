import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  badName,
  environmentArchived,
  environmentsApi,
  environmentUnknown,
  HOSTILE_NAMES,
  newOrganization,
  refusal,
  refused,
} from './environments-api.ts';

const api = await environmentsApi();
const refusing = await newOrganization(api);
await refusing.withEnvironments('web');

const taken = (name: string, org: string) =>
  refused({ new_name: `Environment named '${name}' already exists for organization '${org}'` });

async function withEnvironments(...names: string[]) {
  const acme = await newOrganization(api);
  await acme.withEnvironments(...names);
  return acme;
}

describe('PUT /environments/{org}/{env_name}/rename', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/environments/${org}/web/rename`,
    request: { json: { new_name: 'other' } },
    needs: 'member',
  });

  it('renames, and the old name stays as an alias', async () => {
    const acme = await withEnvironments('a');
    expect(refusal(await acme.rename('a', 'b'))).toEqual([200, 'OK']);
    expect(await acme.found('a')).toEqual(['a', 'b']);
    expect(await acme.found('b')).toEqual(['a', 'b']);
    expect(await acme.names()).toEqual(['b']);
  });

  it('keeps every name of a chain as an alias, and can be addressed by one', async () => {
    const acme = await withEnvironments('a');
    await acme.rename('a', 'b');
    await acme.rename('b', 'c');
    expect((await acme.rename('a', 'd')).status).toBe(200);
    for (const name of ['a', 'b', 'c', 'd']) expect(await acme.found(name)).toEqual(['a', 'd']);
  });

  it('lets an environment take back a former name', async () => {
    const acme = await withEnvironments('a');
    await acme.rename('a', 'b');
    expect((await acme.rename('b', 'a')).status).toBe(200);
    for (const name of ['a', 'b']) expect(await acme.found(name)).toEqual(['a', 'a']);
  });

  it('takes a former name from the environment that had it, also once that one is renamed again', async () => {
    const acme = await withEnvironments('a', 'x');
    await acme.rename('a', 'b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    await acme.rename('b', 'c');
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('x')).toEqual(['x', 'a']);
    expect(await acme.found('c')).toEqual(['a', 'c']);
  });

  it('takes the names that an archived environment had', async () => {
    const acme = await withEnvironments('a', 'x', 'y');
    await acme.rename('a', 'b');
    await acme.archive('b');
    expect((await acme.rename('x', 'a')).status).toBe(200);
    expect((await acme.rename('y', 'b')).status).toBe(200);
    expect(await acme.found('a')).toEqual(['x', 'a']);
    expect(await acme.found('b')).toEqual(['y', 'b']);
  });

  it('changes nothing when the name is the present one already', async () => {
    const acme = await withEnvironments('a');
    const before = await acme.head('a');
    expect(refusal(await acme.rename('a', 'a'))).toEqual([200, 'OK']);
    expect(await acme.head('a')).toEqual(before);
  });

  it('leaves snapshots and the mark of the relay as they are', async () => {
    const acme = await withEnvironments('a');
    await acme.reported('a', { r: 100, c: 100, state: true });
    await acme.rename('a', 'b');
    expect(await acme.read('b')).toMatchObject({ last_reported_at: 100, last_changed_at: 100, state: true });
  });

  it("refuses another environment's present name", async () => {
    const acme = await withEnvironments('a', 'b');
    expect(refusal(await acme.rename('a', 'b'))).toEqual(taken('b', acme.org));
    expect(await acme.found('a')).toEqual(['a', 'a']);
    expect(await acme.found('b')).toEqual(['b', 'b']);
  });

  it('answers 404 for an unknown environment, and 404 with another sentence for an archived one', async () => {
    const acme = await withEnvironments('gone');
    await acme.archive('gone');
    expect(refusal(await acme.rename('nope', 'other'))).toEqual(environmentUnknown('nope', acme.org));
    expect(refusal(await acme.rename('gone', 'other'))).toEqual(environmentArchived('gone', acme.org));
  });

  it.each([...HOSTILE_NAMES, 'new illegal name'])('refuses %j as the new name', async (name) => {
    expect(refusal(await refusing.rename('web', name))).toEqual(refused({ new_name: badName(name) }));
  });

  it.each([
    [undefined, 'Field required [input: None]'],
    [null, 'Input should be a valid string [input: None]'],
    [7, 'Input should be a valid string [input: 7]'],
  ])('refuses %j as the new name', async (name, text) => {
    expect(refusal(await refusing.rename('web', name))).toEqual(refused({ new_name: text }));
  });

  it('checks the new name before it looks for the environment', async () => {
    expect((await refusing.rename('nope', 'new illegal name')).status).toBe(400);
  });

  it('gives a name to one of two environments that request it at once', async () => {
    const acme = await withEnvironments('a', 'b');
    const answers = await Promise.all([acme.rename('a', 'c'), acme.rename('b', 'c')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const winner = answers[0]?.status === 200 ? 'a' : 'b';
    expect(await acme.found('c')).toEqual([winner, 'c']);
    expect(await acme.names()).toEqual([winner === 'a' ? 'b' : 'a', 'c'].toSorted());
  });

  it('gives a name to a rename or to a new environment, for any order of both', async () => {
    const acme = await withEnvironments('a');
    const [renamed, created] = await Promise.all([
      acme.rename('a', 'b'),
      acme.put({ name: 'b', type: 'server', description: 'new' }),
    ]);
    expect([[200, 400].includes(renamed.status), created.status]).toEqual([true, 201]);
    expect(await acme.names()).toEqual(renamed.status === 200 ? ['b'] : ['a', 'b']);
  });

  it('ends with one present name after two renames at once, and keeps the other names as aliases', async () => {
    const acme = await withEnvironments('a');
    const answers = await Promise.all([acme.rename('a', 'b'), acme.rename('a', 'c'), acme.rename('a', 'c')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [name = ''] = await acme.names();
    expect(['b', 'c']).toContain(name);
    for (const given of ['a', 'b', 'c']) expect(await acme.found(given)).toEqual(['a', name]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await withEnvironments('a');
    const headers = { 'idempotency-key': 'rename-once' };
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    await acme.rename('b', 'a');
    expect((await acme.rename('a', 'b', { headers })).status).toBe(200);
    expect(await acme.found('a')).toEqual(['a', 'a']);
    expect((await acme.rename('a', 'c', { headers })).status).toBe(400);
  });
});
