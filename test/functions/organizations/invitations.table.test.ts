import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { adminApi, DENIED, newOrganization, newUser, organizationOf, refusal } from '#test/support/admin.ts';
import { uniqueName } from '#test/support/directory.ts';

const api = await adminApi();
const { clock } = api.services;
const DAY = 24 * 3600 * 1_000_000;
const NO_USER = [404, { message: 'User not found' }];
const NO_OFFER = [
  404,
  { message: 'The organization offers you nothing, or does not exist. `GET /user` lists what you are offered' },
];

const join = (org: string, key: string) => api.call('PUT', `/organizations/${org}/membership`, { key });
const leave = (org: string, key: string) => api.call('DELETE', `/organizations/${org}/membership`, { key });
const userOf = async (key: string) =>
  (await api.call('GET', '/user', { key })).json as {
    organizations: { name: string; role: string }[];
    offers: object[];
  };

/** What the admin of a new organization can see of a name, in all states of an invitation, without what differs by itself. */
async function seenOf(name: string): Promise<string> {
  const acme = await newOrganization(api);
  const repeated = { headers: { 'idempotency-key': name } };
  const steps = [
    await acme.dismiss(name),
    await acme.put(name, 'reader'),
    await acme.put(name, 'reader'),
    await acme.put(name, 'admin'),
    await acme.call('GET', '/organizations/ORG/members'),
    await acme.call('GET', '/audit/ORG', { query: 'kind=member' }),
    await acme.dismiss(name),
    await acme.dismiss(name),
    await acme.call('GET', '/organizations/ORG/members'),
    await acme.put(name, 'member', repeated),
    await acme.put(name, 'member', repeated),
    await acme.dismiss(name),
  ];
  const answers = steps.map(({ status, text, headers }) => ({ status, text, headers: Object.keys(headers) }));
  const calls = api.entries.slice(-steps.length).map(({ aws_calls }) => aws_calls);
  return JSON.stringify({ answers, calls })
    .replaceAll(name, 'NAME')
    .replaceAll(acme.org, 'ORG')
    .replace(/[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{8}/g, 'ID')
    .replace(/[a-f0-9]{64}/g, 'HASH')
    .replace(/(at\\*"):[\d.]+/g, '$1');
}

describe('a user who is no member', () => {
  it('is invited, and an admin sees the same whether or not there is such a user', async () => {
    const { user } = await newUser(api);
    // A function reads the state of its table once in ten seconds. Here it does so before the calls are counted.
    api.services.clock.advance(10_000_000);
    await seenOf(uniqueName('first'));
    const seen = await seenOf(user);
    expect(seen).toContain('"status":201');
    expect(await seenOf(uniqueName('user'))).toBe(seen);
  });

  it('sees the offer, and becomes a member by accepting it', async () => {
    const acme = await newOrganization(api);
    const { user, shared, key } = await newUser(api);
    expect(refusal(await acme.put(user, 'member'))).toEqual([201, 'OK']);
    expect(await acme.tryKey(key)).toEqual(DENIED);
    expect(await userOf(key)).toMatchObject({
      organizations: [{ name: user }, { name: shared }],
      offers: [{ organization: acme.org, role: 'member', by: 'invitation', name: null, declined: false }],
    });
    expect((await acme.members()).find(({ name }) => name === user)).toEqual({
      id: null,
      name: user,
      role: 'member',
      added_at: expect.any(Number),
      is_invited: true,
    });
    expect(refusal(await join(acme.org, key))).toEqual([200, 'OK']);
    expect(refusal(await join(acme.org, key))).toEqual([200, 'OK']);
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect(await userOf(key)).toMatchObject({
      offers: [],
      organizations: [{ name: acme.org, role: 'member' }, {}, {}],
    });
    expect((await acme.members()).find(({ name }) => name === user)).toMatchObject({
      id: expect.any(String),
      role: 'member',
      is_invited: false,
    });
    const entries = await acme.audit('kind=member');
    expect(entries.filter(({ subject }) => subject.name === user)).toMatchObject([
      { kind: 'member.added', actor: { kind: 'user', name: user }, after: { role: 'member' } },
      {
        kind: 'member.invited',
        actor: { name: `${acme.org}-admin` },
        subject: { id: null },
        after: { role: 'member' },
      },
    ]);
    await acme.dismiss(user);
    expect(refusal(await join(acme.org, key))).toEqual(NO_OFFER);
  });

  it('declines without a trace for the organization, and can still accept', async () => {
    const acme = await newOrganization(api);
    const { user, key } = await newUser(api);
    await acme.put(user, 'reader');
    const [members, entries] = [await acme.members(), await acme.audit()];
    expect(refusal(await leave(acme.org, key))).toEqual([200, 'OK']);
    expect(await acme.members()).toEqual(members);
    expect(await acme.audit()).toEqual(entries);
    expect((await userOf(key)).offers).toMatchObject([{ organization: acme.org, declined: true }]);
    await acme.put(user, 'member');
    expect((await userOf(key)).offers).toMatchObject([{ role: 'member', declined: true }]);
    expect(refusal(await join(acme.org, key))).toEqual([200, 'OK']);
    expect((await userOf(key)).offers).toEqual([]);
  });

  it('cannot accept what was withdrawn, what has ended, or what is not there, and gets one sentence', async () => {
    const acme = await newOrganization(api);
    const { user, key } = await newUser(api);
    await acme.put(user, 'reader');
    await acme.dismiss(user);
    const refused = async () => [refusal(await join(acme.org, key)), refusal(await leave(acme.org, key))];
    expect(await refused()).toEqual([NO_OFFER, NO_OFFER]);
    expect([refusal(await join('nowhere', key)), refusal(await leave('a b', key))]).toEqual([NO_OFFER, NO_OFFER]);
    await acme.put(user, 'reader');
    clock.advance(30 * DAY);
    expect(await refused()).toEqual([NO_OFFER, NO_OFFER]);
    expect((await userOf(key)).offers).toEqual([]);
    expect((await acme.members()).filter(({ is_invited }) => is_invited)).toEqual([]);
    expect(refusal(await acme.dismiss(user))).toEqual(NO_USER);
    expect(refusal(await acme.put(user, 'reader'))).toEqual([201, 'OK']);
    expect(refusal(await join(acme.org, key))).toEqual([200, 'OK']);
  });

  it('is offered the membership that was meant for the name before the user existed', async () => {
    const acme = await newOrganization(api);
    const user = uniqueName('later');
    await acme.put(user, 'reader');
    await runOperator(api.services, { command: 'create-user', name: user });
    const { key } = (await runOperator(api.services, { command: 'issue-key', user, description: 'd' })) as unknown as {
      key: string;
    };
    expect(refusal(await join(acme.org, key))).toEqual([200, 'OK']);
  });

  it('is added at once by the operator, which ends the invitation', async () => {
    const acme = await newOrganization(api);
    const { user, key } = await newUser(api);
    await acme.put(user, 'reader');
    await acme.enroll(user, 'member');
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect((await acme.members()).filter(({ name }) => name === user)).toMatchObject([{ is_invited: false }]);
    expect((await userOf(key)).offers).toEqual([]);
  });

  it('is one of at most 100 open invitations', async () => {
    const acme = await newOrganization(api);
    for (let i = 0; i < 100; i += 1) expect((await acme.put(`${acme.org}-${i}`, 'reader')).status).toBe(201);
    const message = 'There are 100 open invitations, the most there can be. Withdraw one first';
    expect(refusal(await acme.put(`${acme.org}-more`, 'reader'))).toEqual([400, { message }]);
    expect((await acme.put(`${acme.org}-1`, 'member')).status).toBe(200);
    await acme.dismiss(`${acme.org}-0`);
    expect((await acme.put(`${acme.org}-more`, 'reader')).status).toBe(201);
  });
});

describe('DELETE /organizations/{org}/membership', () => {
  it('ends the own membership, but not that of the last admin or of an owner', async () => {
    const acme = await newOrganization(api);
    const { user, key } = await newUser(api);
    await acme.enroll(user, 'reader');
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect(refusal(await leave(acme.org, key))).toEqual([200, 'OK']);
    expect(await acme.tryKey(key)).toEqual(DENIED);
    expect((await acme.audit('kind=member.removed'))[0]).toMatchObject({
      actor: { name: user },
      subject: { name: user },
    });
    const message = `'${acme.org}-admin' is the last admin of organization '${acme.org}', which needs one`;
    expect(refusal(await leave(acme.org, acme.keys.admin))).toEqual([400, { message }]);
    const own = organizationOf(api, user, { admin: key });
    expect(refusal(await leave(own.org, key))).toMatchObject([
      400,
      { message: expect.stringContaining('stays admin') },
    ]);
  });

  it('and PUT are for users: a service account and a stranger are refused', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'admin' });
    const { key } = await acme.issue('robot');
    for (const send of [join, leave]) {
      expect(refusal(await send(acme.org, key))).toEqual(DENIED);
      expect((await send(acme.org, 'nobody')).status).toBe(401);
    }
  });
});
