import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import { adminApi, DENIED, newOrganization, refusal, refused } from '#test/support/admin.ts';

const api = await adminApi();
const NO_ACCOUNT = [404, { message: 'Service account not found' }];
const refusing = await newOrganization(api);
await refusing.create({ name: 'robot', privilege: 'member', description: 'kept' });

async function withRobot(overrides: Record<string, unknown> = {}) {
  const acme = await newOrganization(api);
  const created = await acme.create({ name: 'robot', privilege: 'member', description: 'first', ...overrides });
  return { ...acme, created: created.json as Record<string, unknown> };
}

describe('PATCH /service-accounts/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PATCH',
    path: (org) => `/service-accounts/${org}/robot`,
    request: { json: {} },
    needs: 'snapshotter',
  });

  it.each([
    [{ description: 'second' }, { description: 'second' }],
    [{ description: null }, { description: null }],
    [{ description: '' }, { description: '' }],
    [{ privilege: 'reader' }, { privilege: 'reader' }],
    [
      { privilege: 'admin', description: null },
      { privilege: 'admin', description: null },
    ],
    [{}, {}],
    [{ created_at: 0, description: 'second' }, { description: 'second' }],
  ])('changes by %j just that', async (change, changed) => {
    const { patch, account, created } = await withRobot();
    const after = { ...created, ...changed };
    expect(refusal(await patch('robot', change))).toEqual([200, after]);
    expect((await account('robot')).json).toEqual(after);
  });

  it.each([
    [{ description: 5 }, { description: 'Input should be a valid string [input: 5]' }],
    [{ description: ['a'] }, { description: 'Input should be a valid string [input: ["a"]]' }],
    [
      { privilege: 'root' },
      {
        privilege: expect.stringMatching(
          /^Input should be <Role\.ADMIN: 'admin'>, <Role\.MEMBER: 'member'>, .* \[input: root\]$/,
        ),
      },
    ],
    [{ privilege: null }, { privilege: expect.stringMatching(/^Input should be <Role\.ADMIN: .*\[input: None\]$/) }],
    [
      { privilege: 7, description: false },
      { privilege: expect.any(String), description: expect.any(String) },
    ],
    [{ descripton: 'x' }, { descripton: "Unknown field 'descripton'. The nearest known field is 'description'" }],
    [[], { payload: expect.any(String) }],
    [null, { payload: 'Field required [input: None]' }],
  ])('refuses %j field by field, and changes nothing', async (change, errors) => {
    expect(refusal(await refusing.patch('robot', change))).toEqual(refused(errors));
    expect((await refusing.account('robot')).json).toMatchObject({ privilege: 'member', description: 'kept' });
  });

  it('answers 400 for a name outside the pattern, and 404 for an unknown name', async () => {
    expect(refusal(await refusing.patch('a b', {}))).toEqual(
      refused({ name: String.raw`String should match pattern '^[a-zA-Z0-9\-]+$' [input: a b]` }),
    );
    const long = await refusing.patch('a'.repeat(65), {});
    expect(refusal(long)).toEqual(refused({ name: expect.stringContaining('at most 64 characters') }));
    expect(refusal(await refusing.patch('unknown', {}))).toEqual(NO_ACCOUNT);
  });

  it('lets creators change the description of their own accounts, and only admins the privilege', async () => {
    const acme = await newOrganization(api);
    const { snapshotter, member } = acme.keys;
    await acme.create({ name: 'own', privilege: 'reader' }, { key: snapshotter });
    expect(refusal(await acme.patch('own', { description: 'x' }, { key: member }))).toEqual(DENIED);
    expect((await acme.patch('own', { description: 'x' }, { key: snapshotter })).status).toBe(200);
    for (const privilege of ['snapshotter', 'reader', 'admin']) {
      const answer = await acme.patch('own', { privilege, description: 'y' }, { key: snapshotter });
      expect(refusal(answer)).toEqual(DENIED);
    }
    expect((await acme.account('own')).json).toMatchObject({ privilege: 'reader', description: 'x' });
    expect(refusal(await acme.patch('unknown', {}, { key: member }))).toEqual(NO_ACCOUNT);
  });

  it('changes what the account’s keys may do, at once on the function that made the change', async () => {
    const acme = await withRobot({ privilege: 'reader' });
    const { key } = await acme.issue('robot');
    const create = () => acme.create({ name: 'more', privilege: 'reader' }, { key });
    expect(refusal(await create())).toEqual(DENIED);
    await acme.patch('robot', { privilege: 'snapshotter' });
    expect((await create()).status).toBe(201);
    await acme.patch('robot', { privilege: 'reader' });
    expect(refusal(await create())).toEqual(DENIED);
  });

  it('keeps both of two changes at the same time', async () => {
    const { patch, account } = await withRobot();
    await Promise.all([patch('robot', { description: 'second' }), patch('robot', { privilege: 'reader' })]);
    expect((await account('robot')).json).toMatchObject({ description: 'second', privilege: 'reader' });
  });
});
