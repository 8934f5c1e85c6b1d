import { describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, lines, ORG, PLAIN_ORG } from './client.ts';

interface KeyJson {
  id: string;
  key: string;
  description: string;
  expires_at: number;
  last_used_at: number;
}

const SECRET = /^dek_[A-Za-z0-9_-]{43}$/;
const IN_2099 = '2099-01-01';

describe.runIf(CLIENT_RUNS_HERE)('the client administers an organization', () => {
  const client = clientStory();
  const { ok, json, refused } = client;
  const ofRobot = ['--service-account', 'robot'];
  const list = () => json<KeyJson[]>('list', 'api-keys', ...ofRobot);
  const flowsWith = async (key: string) => (await client.run('list', 'flows', '--api-token', key)).code;

  it('creates service accounts, reads and lists them', async () => {
    await ok('create', 'service-account', 'robot', '--privilege', 'member', '--description', 'Builds');
    expect(client.requests).toEqual([`POST /api/v2/service-accounts/${ORG} 201`]);
    await ok('create', 'service-account', 'other', '--privilege', 'reader');
    const robot = { name: 'robot', privilege: 'member', description: 'Builds', created_at: expect.any(Number) };
    expect(await json('get', 'service-account', 'robot')).toMatchObject(robot);
    expect(await json('list', 'service-accounts')).toMatchObject([{ name: 'other' }, robot]);
    const [head, other, shown] = lines(await ok('list', 'service-accounts'));
    expect([head, other, shown]).toEqual([
      expect.stringMatching(/^NAME/),
      expect.stringMatching(/^other .*reader/),
      expect.stringMatching(/^robot .*member/),
    ]);
  });

  it('updates the given fields of a service account and no others', async () => {
    await ok('update', 'service-account', 'robot', '--description', 'Builds and deploys');
    expect(client.requests).toEqual([`PATCH /api/v2/service-accounts/${ORG}/robot 200`]);
    expect(await json('get', 'service-account', 'robot')).toMatchObject({
      ...{ privilege: 'member', description: 'Builds and deploys' },
    });
    await ok('update', 'service-account', 'robot', '--privilege', 'reader');
    expect(await json('get', 'service-account', 'robot')).toMatchObject({
      ...{ privilege: 'reader', description: 'Builds and deploys' },
    });
  });

  it('shows the errors of service accounts and keys', async () => {
    expect(await refused('create', 'service-account', 'robot', '--privilege', 'reader')).toContain(
      `Service account 'robot' already exists in organization '${ORG}'`,
    );
    expect(await refused('get', 'service-account', 'unknown')).toContain('Service account not found');
    expect(await refused('get', 'api-key', 'unknown', ...ofRobot)).toContain('API key not found');
    expect(await refused('update', 'service-account', 'robot', '--privilege', 'root')).toContain(
      "Input should be <Role.ADMIN: 'admin'>, <Role.MEMBER: 'member'>, ",
    );
    expect(
      await refused('create', 'api-key', '--description', 'x', '--expires-at', '2020-01-01', ...ofRobot),
    ).toContain('Input should not be in the past');
    expect(
      await refused('create', 'service-account', 'mine', '--privilege', 'admin', '--api-token', 'key-of-rob'),
    ).toContain("You don't have permission to access this resource");
  });

  it('issues, lists, reads, rotates and revokes API keys', async () => {
    const made = await json<KeyJson>('create', 'api-key', '--description', 'CI', '--expires-at', IN_2099, ...ofRobot);
    expect(made).toMatchObject({ key: expect.stringMatching(SECRET), description: 'CI' });
    expect(await list()).toMatchObject([
      { id: made.id, description: 'CI', expires_at: made.expires_at, last_used_at: 0 },
    ]);
    expect(await flowsWith(made.key)).toBe(0);
    expect((await json<KeyJson>('get', 'api-key', made.id, ...ofRobot)).last_used_at).toBeGreaterThan(0);

    const rotated = await json<KeyJson | KeyJson[]>(
      'rotate',
      'api-key',
      made.id,
      '--grace-period-hours',
      '48',
      ...ofRobot,
    );
    const [next] = [rotated].flat();
    expect(next).toMatchObject({ id: made.id, key: expect.stringMatching(SECRET), expires_at: made.expires_at });
    expect([await flowsWith(made.key), await flowsWith(next?.key ?? '')]).toEqual([0, 0]);

    await ok('delete', 'api-key', made.id, '--assume-yes', ...ofRobot);
    expect(client.requests).toEqual([`DELETE /api/v2/service-accounts/${ORG}/robot/api-keys/${made.id} 200`]);
    expect(await list()).toEqual([]);
  });

  it('rotates and revokes several keys at a time', async () => {
    for (const description of ['one', 'two']) await ok('create', 'api-key', '--description', description, ...ofRobot);
    const keys = await list();
    const ids = keys.map(({ id }) => id);
    const shown = lines(await ok('rotate', 'api-key', ...ids, ...ofRobot));
    expect(shown.filter((line) => line.startsWith('ID:'))).toEqual(ids.map((id) => `ID:  ${id}`));
    expect(shown.filter((line) => /^Old Key Valid Until: .* in one day$/.test(line))).toHaveLength(2);
    expect(client.requests).toEqual(
      ids.map((id) => `POST /api/v2/service-accounts/${ORG}/robot/api-keys/${id}/rotate 201`),
    );
    expect(lines(await ok('get', 'api-key', ids[0] ?? '', ...ofRobot))).toEqual([
      ...[`ID:  ${ids[0]}`, 'Description:  one', expect.stringMatching(/^Created At: /)],
      ...['Expires At:  N/A', 'Last Used:  N/A'],
    ]);
    const [head, ...rows] = lines(await ok('list', 'api-keys', ...ofRobot));
    expect(head).toBe('ID  DESCRIPTION  CREATED  EXPIRES  LAST USED');
    expect(rows).toHaveLength(2);

    const rotate = (...args: string[]) => refused('rotate', 'api-key', ...args, ...ofRobot);
    for (const hours of ['0', '721']) {
      expect(await rotate(ids[0] ?? '', '--grace-period-hours', hours)).toContain(
        'map[grace_period_hours:Input should',
      );
    }
    expect(await rotate('unknown')).toContain('API key not found');
    expect(lines(await ok('delete', 'api-key', ...ids, '--assume-yes', ...ofRobot))).toHaveLength(2);
    expect(await refused('delete', 'api-key', ids[0] ?? '', '--assume-yes', ...ofRobot)).toContain('API key not found');
    expect(await ok('list', 'api-keys', ...ofRobot)).toBe('No API keys were found.\n');
  });

  it('shows an error for a service account that does not exist', async () => {
    const nobody = ['--service-account', 'nobody'];
    for (const command of [
      ['list', 'api-keys', ...nobody],
      ['create', 'api-key', '--description', 'x', ...nobody],
      ['update', 'service-account', 'nobody', '--description', 'x'],
      ['delete', 'service-account', 'nobody', '--assume-yes'],
    ]) {
      expect(await refused(...command)).toContain('Service account not found');
    }
    expect(await refused('create', 'service-account', 'bad name', '--privilege', 'reader')).toContain(
      String.raw`map[name:String should match pattern '^[a-zA-Z0-9\-]+$' [input: bad name]]`,
    );
  });

  it('deletes service accounts', async () => {
    await ok('delete', 'service-account', 'robot', 'other', '--assume-yes');
    expect(await json('list', 'service-accounts')).toEqual([]);
  });

  it('sets the default organization', async () => {
    expect(await json('get', 'default-org')).toEqual({ default_org_name: '' });
    await ok('update', 'default-org', ORG);
    expect(client.requests).toEqual([`PUT /api/v2/user/${ORG} 200`]);
    expect(await json('get', 'default-org')).toEqual({ default_org_name: ORG });
    expect(await refused('update', 'default-org', 'nowhere')).toContain('Access denied to /api/v2/user/nowhere');
  });

  it('switches beta features', async () => {
    await ok('enable', 'beta', '--org', PLAIN_ORG);
    expect(client.requests).toEqual([`PUT /api/v2/organizations/${PLAIN_ORG}/experimental_features 200`]);
    await ok('disable', 'beta', '--org', PLAIN_ORG);
  });
});
