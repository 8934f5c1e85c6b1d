import { beforeAll, describe, expect, test } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { SIGNAL_LINES } from '#infra/constructs/log-lines.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { auditPartition } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { uniqueName } from '#test/support/directory.ts';
import { testId } from '#test/support/ids.ts';
import { operatorServices } from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
const run = (command: unknown) =>
  heldTo('operator', OPERATOR_USES, () => runOperator(operatorServices(table), command));

describe('operator commands', () => {
  test('create an organization, a user, a membership and a key that works', async () => {
    const [org, user] = [uniqueName('org'), uniqueName('user')];
    expect(await run({ command: 'create-organization', name: org, features: ['controls'] })).toMatchObject({
      ok: true,
      created: true,
      features: ['controls'],
    });
    expect(await run({ command: 'create-user', name: user })).toMatchObject({ ok: true, created: true });
    expect(await run({ command: 'add-member', organization: org, user, role: 'reader' })).toMatchObject({
      ok: true,
      before: null,
    });
    const issued = await run({ command: 'issue-key', user, description: 'first' });
    expect(issued).toMatchObject({ ok: true, key: expect.stringMatching(/^dek_/) });
    const { id } = (await new Directory(table).organization(org)) ?? {};
    const [created] = await table.query({ pk: auditPartition(testId(String(id)), monthOf(String(id))) });
    expect(created).toMatchObject({ kind: 'organization.created', subject: { id, name: org } });
    const key = await new Directory(table).apiKey(hashKey(String('key' in issued ? issued.key : '')));
    expect(key).toMatchObject({ principal: { kind: 'user', name: user }, description: 'first', expiresAt: 0 });
  });

  test('write one line with their name and organization, and none of their other fields', async () => {
    const lines: LogEntry[] = [];
    const command = {
      command: 'suspend-organization',
      organization: 'nobody',
      what: 'writes',
      reason: 'private words',
    };
    await runOperator(operatorServices(table), command, {
      invocation: 'call-1',
      log: (entry) => void lines.push(entry),
    });
    expect(lines).toMatchObject([
      {
        level: 'INFO',
        message: SIGNAL_LINES.operated,
        request_id: 'call-1',
        command: 'suspend-organization',
        organization: 'nobody',
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('private words');
    await runOperator(operatorServices(table), { command: 'erase-body' }, { log: (entry) => void lines.push(entry) });
    expect(lines).toHaveLength(1);
  });

  test('change nothing if they are repeated, or answer with what they changed', async () => {
    const [org, user] = [uniqueName('org'), uniqueName('user')];
    const first = await run({ command: 'create-organization', name: org });
    expect(await run({ command: 'create-organization', name: org })).toMatchObject({
      ok: true,
      created: false,
      id: 'id' in first && first.id,
    });
    await run({ command: 'create-user', name: user });
    expect(await run({ command: 'create-user', name: user })).toMatchObject({ ok: true, created: false });
    await run({ command: 'add-member', organization: org, user, role: 'reader' });
    expect(await run({ command: 'add-member', organization: org, user, role: 'admin' })).toMatchObject({
      ok: true,
      before: 'reader',
    });
    for (const enabled of [true, true, false]) {
      expect(await run({ command: 'set-feature', organization: org, feature: 'evaluations', enabled })).toMatchObject({
        ok: true,
      });
      expect((await new Directory(table).organization(org))?.features).toEqual(enabled ? ['evaluations'] : []);
    }
  });

  test('end the keys of a user who is known by something else from now on', async () => {
    const user = uniqueName('user');
    await run({ command: 'create-user', name: user });
    await run({ command: 'issue-key', user, description: 'first' });
    const identify = { command: 'identify-user', user, email: `${user}@example.com` };
    expect(await run(identify)).toMatchObject({ keys: 1, sessions: 0, ended_keys: 0, ended_sessions: 0 });
    expect(await run({ ...identify, end_keys: true })).toMatchObject({ keys: 0, ended_keys: 1 });
    expect(await run(identify)).toMatchObject({ keys: 0, ended_keys: 0 });
  });

  test('create a personal organization with its user as admin', async () => {
    const user = uniqueName('login');
    expect(await run({ command: 'create-organization', name: user, personal: true })).toMatchObject({ ok: false });
    const created = await run({ command: 'create-user', name: user });
    const org = await run({ command: 'create-organization', name: user, personal: true });
    if (!('id' in org) || !('id' in created)) throw new Error('Nothing was created');
    expect(await new Directory(table).member(testId(String(org.id)), testId(String(created.id)))).toMatchObject({
      role: 'admin',
    });
  });

  test.each([
    [undefined, 'Give one of the commands create-organization'],
    [{ command: 'drop-everything' }, 'Give one of the commands'],
    [{ command: '__proto__' }, 'Give one of the commands'],
    [{ command: 'create-user' }, 'name: Field required [input: None]'],
    [{ command: 'create-user', name: 'a/b' }, 'name: String should match pattern'],
    [{ command: 'create-user', name: 'a', nme: 'b' }, 'nme: Extra inputs are not permitted'],
    [
      { command: 'add-member', organization: 'nowhere', user: 'nobody', role: 'admin' },
      "There is no organization 'nowhere'",
    ],
    [
      { command: 'set-feature', organization: 'nowhere', feature: 'controls', enabled: true },
      "There is no organization 'nowhere'",
    ],
    [{ command: 'issue-key', user: 'nobody', description: 'x' }, "There is no user 'nobody'"],
  ])('refuse %j with a sentence', async (command, message) => {
    expect(await run(command)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  test('refuse to issue a key whose expiry is in the past', async () => {
    const user = uniqueName('user');
    await run({ command: 'create-user', name: user });
    expect(await run({ command: 'issue-key', user, description: 'x', expires_at: 1 })).toEqual({
      ok: false,
      message: 'The expiry lies in the past',
    });
  });
});
