import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { describeAccess } from '#test/support/access.ts';
import { adminApi, DENIED, newOrganization, newUser, organizationOf, refusal, refused } from '#test/support/admin.ts';
import { uniqueName } from '#test/support/directory.ts';

const api = await adminApi();
const NO_USER = [404, { message: 'User not found' }];
const lastAdmin = (user: string, org: string) => [
  400,
  { message: `'${user}' is the last admin of organization '${org}', which needs one` },
];
const rolesIn = (members: { name: string; role: string }[]) =>
  Object.fromEntries(members.map(({ name, role }) => [name, role]));

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('GET /organizations/{org}/members', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/organizations/${org}/members`, needs: 'reader' });

  it('lists users by name with their roles, and no service accounts', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'admin' });
    expect(await acme.members()).toEqual(
      ['admin', 'member', 'reader', 'snapshotter'].map((role) => ({
        id: expect.any(String),
        name: `${acme.org}-${role}`,
        role,
        added_at: expect.any(Number),
        is_invited: false,
      })),
    );
  });
});

describe('PUT /organizations/{org}/members/{user}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/organizations/${org}/members/nobody`,
    request: { json: { role: 'reader' } },
    needs: 'admin',
  });

  it('changes a role, and does nothing if the role stays the same', async () => {
    const acme = await newOrganization(api);
    const { user, key } = await newUser(api);
    await acme.enroll(user, 'reader');
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect(refusal(await acme.put(user, 'member'))).toEqual([200, 'OK']);
    expect(refusal(await acme.put(user, 'member'))).toEqual([200, 'OK']);
    expect(rolesIn(await acme.members())[user]).toBe('member');
    const entries = await acme.audit(`kind=member&start_ts=0`);
    const ofUser = entries.filter(({ subject }) => subject.name === user);
    expect(ofUser.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['member.role_changed', { role: 'reader' }, { role: 'member' }],
      ['member.added', null, { role: 'reader' }],
    ]);
    expect(ofUser[0]?.actor).toMatchObject({ kind: 'user', name: `${acme.org}-admin`, key_id: expect.any(String) });
  });

  it('takes effect at once on the function that made the change', async () => {
    const acme = await newOrganization(api);
    const asReader = () => acme.call('GET', `/audit/${acme.org}`, { key: acme.keys.reader });
    expect(refusal(await asReader())).toEqual(DENIED);
    await acme.put(`${acme.org}-reader`, 'admin');
    expect((await asReader()).status).toBe(200);
    await acme.put(`${acme.org}-reader`, 'reader');
    expect(refusal(await asReader())).toEqual(DENIED);
  });

  it.each([
    ['owner', "Input should be 'admin', 'member', 'snapshotter' or 'reader' [input: owner]"],
    [null, "Input should be 'admin', 'member', 'snapshotter' or 'reader' [input: None]"],
    [undefined, 'Field required [input: None]'],
  ])('refuses the role %j', async (role, text) => {
    expect(refusal(await refusing.put(`${refusing.org}-reader`, role))).toEqual(refused({ role: text }));
    expect(rolesIn(await refusing.members())[`${refusing.org}-reader`]).toBe('reader');
  });

  it.each(['a b', '-a', 'x'.repeat(3000)])('answers 404 for %j, which nobody can have as name', async (user) => {
    expect(refusal(await refusing.put(user, 'reader'))).toEqual(NO_USER);
    expect(refusal(await refusing.dismiss(user))).toEqual(NO_USER);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const { user } = await newUser(api);
    const request = { headers: { 'idempotency-key': 'k' } };
    expect((await acme.put(user, 'reader', request)).status).toBe(201);
    expect((await acme.put(user, 'reader', request)).status).toBe(201);
  });
});

describe('DELETE /organizations/{org}/members/{user}', () => {
  describeAccess(api, {
    method: 'DELETE',
    path: (org) => `/organizations/${org}/members/nobody`,
    needs: 'admin',
  });

  it('ends a membership, at once on the function that made the change', async () => {
    const acme = await newOrganization(api);
    const user = `${acme.org}-member`;
    expect((await acme.tryKey(acme.keys.member))[0]).toBe(200);
    expect(refusal(await acme.dismiss(user))).toEqual([200, 'OK']);
    expect(await acme.tryKey(acme.keys.member)).toEqual(DENIED);
    expect(rolesIn(await acme.members())).not.toHaveProperty(user);
    expect(refusal(await acme.dismiss(user))).toEqual(NO_USER);
    const [entry] = await acme.audit('kind=member.removed');
    expect(entry).toMatchObject({ subject: { type: 'user', name: user }, before: { role: 'member' }, after: null });
  });

  it('answers 404 for a user of another organization', async () => {
    const acme = await newOrganization(api);
    const { user } = await newUser(api);
    expect(refusal(await acme.dismiss(user))).toEqual(NO_USER);
  });
});

describe('the last admin', () => {
  it('can neither be removed nor get another role; a service account does not count as admin', async () => {
    const acme = await newOrganization(api);
    const admin = `${acme.org}-admin`;
    await acme.create({ name: 'robot', privilege: 'admin' });
    const { key } = await acme.issue('robot');
    for (const request of [{}, { key }]) {
      expect(refusal(await acme.put(admin, 'member', request))).toEqual(lastAdmin(admin, acme.org));
      expect(refusal(await acme.dismiss(admin, request))).toEqual(lastAdmin(admin, acme.org));
    }
    expect(refusal(await acme.put(admin, 'admin'))).toEqual([200, 'OK']);
    await acme.put(`${acme.org}-reader`, 'admin');
    expect(refusal(await acme.put(admin, 'reader'))).toEqual([200, 'OK']);
  });

  it('remains if all admins are removed or demoted at the same time', async () => {
    for (const others of [1, 2, 4]) {
      const acme = await newOrganization(api);
      const admins = [`${acme.org}-admin`];
      for (let i = 0; i < others; i += 1) {
        const { user } = await newUser(api);
        await acme.enroll(user, 'admin');
        admins.push(user);
      }
      await acme.create({ name: 'robot', privilege: 'admin' });
      const { key } = await acme.issue('robot');
      const answers = await Promise.all(
        admins.map((user, i) => (i % 2 === 0 ? acme.dismiss(user, { key }) : acme.put(user, 'reader', { key }))),
      );
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1);
      expect((await acme.members({ key })).filter(({ role }) => role === 'admin')).toHaveLength(1);
    }
  });

  it('cannot be demoted by an operator either', async () => {
    const acme = await newOrganization(api);
    const add = (user: string, role: string) =>
      runOperator(api.services, { command: 'add-member', organization: acme.org, user, role });
    const admin = `${acme.org}-admin`;
    expect(await add(admin, 'reader')).toEqual({
      ok: false,
      message: `The user '${admin}' is the last admin of '${acme.org}'`,
    });
    expect(await add(`${acme.org}-reader`, 'admin')).toMatchObject({ ok: true, before: 'reader' });
    expect(await add(admin, 'reader')).toMatchObject({ ok: true, before: 'admin' });
    const [entry] = await acme
      .call('GET', `/audit/${acme.org}`, { key: acme.keys.reader })
      .then(({ json }) => (json as { entries: unknown[] }).entries);
    expect(entry).toMatchObject({ kind: 'member.role_changed', actor: { kind: 'operator', key_id: null } });
  });
});

describe('the owner of a personal organization', () => {
  it('stays its admin, with or without another one', async () => {
    const { user, key } = await newUser(api);
    const own = organizationOf(api, user, { admin: key });
    const other = await newUser(api);
    await own.enroll(other.user, 'admin');
    const refusedTo = [400, { message: `'${user}' stays admin of the personal organization '${user}'` }];
    expect(refusal(await own.put(user, 'reader', { key: other.key }))).toEqual(refusedTo);
    expect(refusal(await own.dismiss(user, { key: other.key }))).toEqual(refusedTo);
    expect(refusal(await own.put(user, 'admin', { key: other.key }))).toEqual([200, 'OK']);
    expect(refusal(await own.dismiss(other.user))).toEqual([200, 'OK']);
  });
});

describe('PUT /organizations/{org}/experimental_features', () => {
  const path = (org: string) => `/organizations/${org}/experimental_features`;
  describeAccess(api, {
    method: 'PUT',
    path,
    request: { json: { experimental_features_enabled: true } },
    needs: 'admin',
  });

  it('switches both beta features, and writes an audit entry if something changed', async () => {
    const acme = await newOrganization(api, ['controls']);
    const put = async (on: unknown) =>
      refusal(await acme.call('PUT', path(acme.org), { json: { experimental_features_enabled: on } }));
    for (const on of [true, true, false, false]) expect(await put(on)).toEqual([200, 'OK']);
    expect((await acme.audit('kind=organization')).map(({ before, after }) => [before, after])).toEqual([
      [{ features: ['controls', 'evaluations'] }, { features: [] }],
      [{ features: ['controls'] }, { features: ['controls', 'evaluations'] }],
    ]);
  });

  it.each([
    [{}, 'Field required [input: None]'],
    [
      { experimental_features_enabled: 'yes' },
      'Input should be a valid boolean, unable to interpret input [input: yes]',
    ],
    [{ experimental_features_enabled: null }, 'Input should be a valid boolean [input: None]'],
  ])('refuses %j', async (json, text) => {
    expect(refusal(await refusing.call('PUT', path(refusing.org), { json }))).toEqual(
      refused({ experimental_features_enabled: text }),
    );
    expect(await refusing.audit('kind=organization')).toEqual([]);
  });

  it('answers 403 for an unknown organization', async () => {
    const { keys } = await newOrganization(api);
    const answer = await api.call('PUT', path(uniqueName('nowhere')), { key: keys.admin, json: {} });
    expect(refusal(answer)).toEqual(DENIED);
  });
});
