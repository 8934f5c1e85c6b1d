import { describe, expect, it } from 'vitest';
import { toSeconds } from '#shared/base/time.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { accountKey } from '#shared/organizations/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  adminApi,
  BAD_KEY,
  DENIED,
  newOrganization,
  newUser,
  organizationOf,
  refusal,
  refused,
} from '#test/support/admin.ts';
import { uniqueName } from '#test/support/directory.ts';
import { testId } from '#test/support/ids.ts';

const api = await adminApi();
const refusing = await newOrganization(api);
const NO_ACCOUNT = [404, { message: 'Service account not found' }];

describe('POST /service-accounts/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/service-accounts/${org}`,
    request: { json: { name: 'robot', privilege: 'reader' } },
    needs: 'snapshotter',
  });

  it('creates an account and answers with its record', async () => {
    const acme = await newOrganization(api);
    const before = toSeconds(api.services.clock.now());
    const answer = await acme.create({ name: 'robot', privilege: 'member', description: '' });
    const creator = await new Directory(api.services.table).user(`${acme.org}-admin`);
    expect(refusal(answer)).toEqual([
      201,
      {
        name: 'robot',
        display_name: 'robot',
        privilege: 'member',
        creating_user_id: creator?.id,
        description: '',
        created_at: expect.any(Number),
        for_webhook: false,
      },
    ]);
    const { created_at } = answer.json as { created_at: number };
    expect(created_at).toBeGreaterThan(before);
    expect((await acme.account('robot')).json).toEqual(answer.json);
    expect((await acme.create({ name: 'plain', privilege: 'reader' })).json).toMatchObject({ description: null });
  });

  it.each([
    [{ name: '', privilege: 'reader' }, { name: 'String should have at least 1 character [input: ]' }],
    [{ name: 'a'.repeat(65), privilege: 'reader' }, { name: expect.stringContaining('at most 64 characters') }],
    [
      { name: 'a b', privilege: 'reader' },
      { name: String.raw`String should match pattern '^[a-zA-Z0-9\-]+$' [input: a b]` },
    ],
    [{ name: 'a.b', privilege: 'reader' }, { name: expect.stringContaining('should match pattern') }],
    [{ name: 'ä', privilege: 'reader' }, { name: expect.stringContaining('should match pattern') }],
    [{ privilege: 'reader' }, { name: 'Field required [input: None]' }],
    [{ name: 'a' }, { privilege: 'Field required [input: None]' }],
    [
      { name: 'a', privilege: 'owner' },
      {
        privilege:
          "Input should be <Role.ADMIN: 'admin'>, <Role.MEMBER: 'member'>, <Role.SNAPSHOTTER: 'snapshotter'> or <Role.READER: 'reader'> [input: owner]",
      },
    ],
    [
      { name: 'a', privilege: 'Admin' },
      { privilege: expect.stringMatching(/^Input should be <Role\.ADMIN: 'admin'>, /) },
    ],
    [{ name: 'a', privilege: 'reader', description: 5 }, { description: expect.stringContaining('valid string') }],
    [
      { name: 'a', privilege: 'reader', description: 'x'.repeat(4097) },
      { description: expect.stringContaining('at most 4096') },
    ],
    ['text', { payload: expect.stringContaining('valid dictionary') }],
    [null, { payload: 'Field required [input: None]' }],
  ])('refuses %j field by field', async (json, errors) => {
    expect(refusal(await refusing.create(json))).toEqual(refused(errors));
    expect((await refusing.call('GET', '/service-accounts/ORG')).json).toEqual([]);
  });

  it('refuses a taken name with 400, because clients retry a 409', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    expect(refusal(await acme.create({ name: 'robot', privilege: 'admin' }))).toEqual(
      refused({ name: `Service account 'robot' already exists in organization '${acme.org}' [input: robot]` }),
    );
    expect((await acme.account('robot')).json).toMatchObject({ privilege: 'reader' });
  });

  it('creates one account for two requests at the same time', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all([1, 2, 3].map(() => acme.create({ name: 'robot', privilege: 'reader' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  });

  it('refuses a privilege above the role of the caller', async () => {
    const { keys, create } = await newOrganization(api);
    const privileges = ['reader', 'snapshotter', 'member', 'admin'];
    for (const [role, most] of [
      ['snapshotter', 2],
      ['member', 3],
      ['admin', 4],
    ] as const) {
      for (const [i, privilege] of privileges.entries()) {
        const answer = await create({ name: `${role}-${privilege}`, privilege }, { key: keys[role] });
        if (i < most) expect(answer.status).toBe(201);
        else expect(refusal(answer)).toEqual(DENIED);
      }
    }
  });

  it('is not for personal organizations', async () => {
    const { user, key } = await newUser(api);
    const answer = await api.call('POST', `/service-accounts/${user}`, {
      key,
      json: { name: 'a', privilege: 'reader' },
    });
    expect(refusal(answer)).toEqual([
      400,
      { message: `'${user}' is a personal organization: only shared organizations have service accounts` },
    ]);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await newOrganization(api);
    const request = { headers: { 'idempotency-key': 'k' } };
    const first = await acme.create({ name: 'robot', privilege: 'reader' }, request);
    expect(refusal(await acme.create({ name: 'robot', privilege: 'reader' }, request))).toEqual(refusal(first));
  });
});

describe('GET /service-accounts/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/service-accounts/${org}`, needs: 'reader' });

  it('lists all accounts as a bare array, sorted by name', async () => {
    const acme = await newOrganization(api);
    for (const name of ['b', 'a', 'C', '1']) await acme.create({ name, privilege: 'reader' });
    const list = (await acme.call('GET', '/service-accounts/ORG')).json as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(['1', 'C', 'a', 'b']);
    expect(list[2]).toEqual((await acme.account('a')).json);
  });

  it('shows a marked placeholder for a record that cannot be read', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'a', privilege: 'reader' });
    const org = await new Directory(api.services.table).organization(acme.org);
    await api.services.table.put({ ...accountKey(org?.id ?? testId(''), 'broken'), v: 1, name: 'broken' });
    const list = (await acme.call('GET', '/service-accounts/ORG')).json as object[];
    expect(list).toEqual([
      expect.objectContaining({ name: 'a' }),
      expect.objectContaining({ name: 'broken', unreadable: true }),
    ]);
  });
});

describe('GET /service-accounts/{org}/{name}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/service-accounts/${org}/robot`, needs: 'reader' });

  it.each(['unknown', 'a b', 'x'.repeat(3000), '..'])('answers 404 for the account %j', async (name) => {
    expect(refusal(await refusing.account(name))).toEqual(NO_ACCOUNT);
  });
});

describe('DELETE /service-accounts/{org}/{name}', () => {
  describeAccess(api, { method: 'DELETE', path: (org) => `/service-accounts/${org}/robot`, needs: 'snapshotter' });

  it('removes the account with all its keys, also those in their grace; the name is free again', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    const first = await acme.issue('robot');
    const second = await acme.issue('robot');
    const rotated = await acme.call('POST', acme.keysOf('robot', `/${second.id}/rotate`), { text: 'null' });
    const secrets = [first.key, second.key, (rotated.json as { key: string }).key];
    for (const secret of secrets) expect((await acme.tryKey(secret))[0]).toBe(200);
    expect(refusal(await acme.remove('robot'))).toEqual([200, 'OK']);
    // This function trusted the keys a moment ago and refuses them at once.
    for (const secret of secrets) expect(await acme.tryKey(secret)).toEqual(BAD_KEY);
    expect(refusal(await acme.account('robot'))).toEqual(NO_ACCOUNT);
    expect(refusal(await acme.remove('robot'))).toEqual(NO_ACCOUNT);
    expect((await acme.create({ name: 'robot', privilege: 'member' })).status).toBe(201);
    for (const secret of secrets) expect(await acme.tryKey(secret)).toEqual(BAD_KEY);
    expect((await acme.call('GET', acme.keysOf('robot'))).json).toEqual([]);
  });

  it('is allowed for admins and for the creator', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' }, { key: acme.keys.snapshotter });
    expect(refusal(await acme.remove('robot', { key: acme.keys.member }))).toEqual(DENIED);
    expect(refusal(await acme.remove('unknown', { key: acme.keys.member }))).toEqual(NO_ACCOUNT);
    expect(refusal(await acme.remove('robot', { key: acme.keys.snapshotter }))).toEqual([200, 'OK']);
  });

  it('leaves no usable key if keys are issued at the same time', async () => {
    const acme = await newOrganization(api);
    await acme.create({ name: 'robot', privilege: 'reader' });
    const issuing = Array.from({ length: 6 }, () =>
      acme.call('POST', acme.keysOf('robot'), { json: { description: 'd' } }),
    );
    const [removed, ...issued] = await Promise.all([acme.remove('robot'), ...issuing]);
    expect(removed?.status).toBe(200);
    for (const { status, json } of issued) {
      expect([201, 404]).toContain(status);
      if (status === 201) expect(await acme.tryKey((json as { key: string }).key)).toEqual(BAD_KEY);
    }
  });
});

describe('accounts of other organizations', () => {
  it('are independent of the accounts of this organization', async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    await acme.create({ name: 'robot', privilege: 'admin' });
    const { key } = await acme.issue('robot');
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect(await other.tryKey(key)).toEqual(DENIED);
    expect(await organizationOf(api, uniqueName('nowhere'), { admin: key }).tryKey(key)).toEqual(DENIED);
    expect(refusal(await other.account('robot'))).toEqual(NO_ACCOUNT);
  });
});
