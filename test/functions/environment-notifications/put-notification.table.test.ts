import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { describeAccess } from '#test/support/access.ts';
import { anAction, aWebhook, HOOK, NOT_FOUND, refusal, refused } from '../actions/actions-api.ts';
import { aNotification, newOrganization, notificationsApi } from './notifications-api.ts';

const api = await notificationsApi();
const acme = await newOrganization(api);
await acme.put(aNotification({ name: 'first' }));
const TIME = expect.any(Number);
const text = expect.any(String);

/** Bodies that both PUT endpoints refuse, with the fields of their errors. */
const WRONG: [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['no name', { name: undefined }, { name: 'Field required [input: None]' }],
  [
    'a name that begins with a dash',
    { name: '-a' },
    { name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\-_\.~/]*$' [input: -a]` },
  ],
  ['a name with a hash', { name: 'a#b' }, { name: text }],
  ['a name of 256 characters', { name: 'n'.repeat(256) }, { name: text }],
  ['another type', { type: 'flow' }, { type: text }],
  ['no environments', { environments: undefined }, { environments: 'Field required [input: None]' }],
  ['null for environments', { environments: null }, { environments: text }],
  ['an empty list of environments', { environments: [] }, { environments: text }],
  ['environments that are no list', { environments: 'prod' }, { environments: text }],
  ['too many environments', { environments: Array(501).fill('prod') }, { environments: text }],
  ['an environment that is no text', { environments: ['prod', 7] }, { 'environments[1]': text }],
  ['no targets', { targets: undefined }, { targets: 'Field required [input: None]' }],
  ['an empty list of targets', { targets: [] }, { targets: text }],
  ['a private address', { targets: [aWebhook({ webhook: 'https://10.0.0.1/' })] }, { 'targets[0].webhook': text }],
  ['another payload', { targets: [aWebhook({ payload_version: '2.0' })] }, { 'targets[0].payload_version': text }],
  ['no triggers', { triggers: undefined }, { triggers: 'Field required [input: None]' }],
  ['null for triggers', { triggers: null }, { triggers: text }],
  ['an empty list of triggers', { triggers: [] }, { triggers: text }],
  ['a trigger of flows', { triggers: ['ON_COMPLIANT_ENV', 'ON_ATTESTATION'] }, { 'triggers[1]': text }],
  ['too many triggers', { triggers: Array(51).fill('ON_COMPLIANT_ENV') }, { triggers: text }],
];

describe('PUT /organizations/{org}/environments_notifications', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/organizations/${org}/environments_notifications`,
    request: { json: aNotification() },
    needs: 'member',
  });

  it('creates a notification with the content of the request, in the order of its lists', async () => {
    const own = await newOrganization(api);
    for (const name of ['b', 'a']) await own.newEnvironment(name);
    const triggers = ENVIRONMENT_TRIGGERS.toReversed();
    const targets = [aWebhook(), { type: 'EMAIL', emails: ['ada@example.com'] }];
    const answer = await own.put({
      name: 'team/prod~1',
      environments: ['prod', 'b', 'a', 'b'],
      triggers,
      targets,
      is_created_from_chat_app: true,
      unknown_field: 1,
    });
    expect(refusal(answer)).toEqual([200, 'OK']);
    const never = { last_success_at: 0, last_failure_at: 0 };
    const notification = await own.read(1);
    expect(notification).toStrictEqual({
      name: 'team/prod~1',
      type: 'env',
      number: 1,
      environments: ['prod', 'b', 'a'],
      triggers,
      targets: [
        { type: 'WEBHOOK', webhook: HOOK, payload_version: '1.0', ...never },
        { type: 'EMAIL', emails: ['ada@example.com'], ...never },
      ],
      created_by: `${own.org}-admin`,
      created_at: TIME,
      last_modified_at: notification.created_at,
      is_created_from_chat_app: false,
      is_created_from_slack_app: false,
      is_failing: false,
      last_success_timestamp: 0,
      last_failure_timestamp: 0,
      html_url: `https://api.example/${own.org}/actions/1`,
    });
  });

  it('treats null like an absent field', async () => {
    const own = await newOrganization(api);
    expect((await own.put(aNotification({ type: null }))).status).toBe(200);
    expect(await own.read(1)).toMatchObject({ type: 'env' });
  });

  it('replaces the notification of the same name and keeps its number, creator and time of creation', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const before = await own.read(1);
    await own.newEnvironment('stage');
    const change = aNotification({ environments: ['stage'], triggers: ['ON_EXITED_ARTIFACT'] });
    expect(refusal(await own.put(change, { as: 'member' }))).toEqual([200, 'OK']);
    const after = await own.read(1);
    expect(after).toEqual({
      ...before,
      environments: ['stage'],
      triggers: ['ON_EXITED_ARTIFACT'],
      last_modified_at: after.last_modified_at,
    });
    expect(after.last_modified_at).toBeGreaterThan(before.last_modified_at);
    expect(await own.list()).toHaveLength(1);
  });

  it('does not change a flow action of the same name, and numbers both from one sequence', async () => {
    const own = await newOrganization(api);
    await own.actions.put(anAction({ name: 'same' }));
    await own.put(aNotification({ name: 'same' }));
    expect((await own.actions.list()).map(({ number, type }) => [number, type])).toEqual([
      [1, 'flow'],
      [2, 'env'],
    ]);
  });

  it('finds environments by their old names, and shows the current ones without archived environments', async () => {
    const own = await newOrganization(api);
    await own.newEnvironment('stage');
    await own.rename('prod', 'live');
    expect((await own.put(aNotification({ environments: ['prod', 'live', 'stage'] }))).status).toBe(200);
    const shown = async () => [(await own.read(1)).environments, (await own.actions.read(1)).environments];
    expect(await shown()).toEqual([
      ['live', 'stage'],
      ['live', 'stage'],
    ]);
    await own.rename('live', 'main');
    await own.archive('stage');
    expect(await shown()).toEqual([['main'], ['main']]);
    await own.archive('main');
    expect(refusal(await own.get(1))).toEqual(NOT_FOUND);
  });

  it('refuses each environment that is unknown or archived', async () => {
    const own = await newOrganization(api);
    await own.newEnvironment('gone');
    await own.archive('gone');
    const unknown = (name: string) => `Environment named '${name}' does not exist for organization '${own.org}'`;
    const archived = `Environment named 'gone' has been archived for organization '${own.org}'`;
    expect(refusal(await own.put(aNotification({ environments: ['prod', 'nope', 'gone', 'a#b'] })))).toEqual(
      refused({ 'environments[1]': unknown('nope'), 'environments[2]': archived, 'environments[3]': unknown('a#b') }),
    );
    const other = await newOrganization(api);
    await other.newEnvironment('theirs');
    expect(refusal(await own.put(aNotification({ environments: ['theirs'] })))).toEqual(
      refused({ 'environments[0]': unknown('theirs') }),
    );
    expect(await own.list()).toEqual([]);
  });

  it.each(WRONG)('refuses %s', async (_, overrides, errors) => {
    expect(refusal(await acme.put(aNotification(overrides)))).toEqual(refused(errors));
    expect(await acme.list()).toHaveLength(1);
  });

  it('creates one notification for parallel saves with one name', async () => {
    const own = await newOrganization(api);
    const names = ['a', 'b', 'a', 'b', 'a'];
    const answers = await Promise.all(names.map((name) => own.put(aNotification({ name }))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect((await own.list()).map(({ number }) => number)).toEqual([1, 2]);
  });

  it('creates one notification under one Idempotency-Key, also if it was deleted since', async () => {
    const own = await newOrganization(api);
    const headers = { 'idempotency-key': 'once' };
    expect((await own.put(aNotification(), { headers })).status).toBe(200);
    expect((await own.remove(1)).status).toBe(200);
    expect(refusal(await own.put(aNotification(), { headers }))).toEqual([200, 'OK']);
    expect(await own.list()).toEqual([]);
  });
});

describe('PUT /organizations/{org}/environments_notifications/{notification_number}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/organizations/${org}/environments_notifications/1`,
    request: { json: aNotification() },
    needs: 'member',
  });

  it('replaces the content and the name, and frees the old name', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const before = await own.read(1);
    const other = 'https://hooks.example.com/other';
    const change = aNotification({
      name: 'other',
      triggers: ['ON_SCALED_ARTIFACT'],
      targets: [aWebhook({ webhook: other })],
    });
    expect(refusal(await own.change(1, change, { as: 'member' }))).toEqual([200, 'OK']);
    const after = await own.read(1);
    expect(after).toEqual({
      ...before,
      name: 'other',
      triggers: ['ON_SCALED_ARTIFACT'],
      targets: [expect.objectContaining({ webhook: other })],
      last_modified_at: after.last_modified_at,
    });
    await own.put(aNotification());
    expect((await own.list()).map(({ number, name }) => [number, name])).toEqual([
      [1, 'other'],
      [2, 'watch'],
    ]);
  });

  it('refuses the name of another notification, and accepts the name of a flow action', async () => {
    const own = await newOrganization(api);
    for (const name of ['a', 'b']) await own.put(aNotification({ name }));
    await own.actions.put(anAction({ name: 'c' }));
    expect(refusal(await own.change(1, aNotification({ name: 'b' })))).toEqual(
      refused({ name: `Environment notification named 'b' already exists for organization '${own.org}'` }),
    );
    expect((await own.change(1, aNotification({ name: 'c' }))).status).toBe(200);
    expect((await own.change(1, aNotification({ name: 'c' }))).status).toBe(200);
  });

  it('gives a name to one of two notifications that ask for it at once', async () => {
    const own = await newOrganization(api);
    for (const name of ['a', 'b']) await own.put(aNotification({ name }));
    const answers = await Promise.all([1, 2].map((number) => own.change(number, aNotification({ name: 'c' }))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('answers 404 for an unknown number, and for the number of a flow action', async () => {
    const own = await newOrganization(api);
    await own.actions.put(anAction());
    for (const number of [1, 2, '99999999999']) {
      expect(refusal(await own.change(number, aNotification({ environments: ['nope'] })))).toEqual(NOT_FOUND);
    }
    for (const number of ['one', 0]) expect((await own.change(number, aNotification())).status).toBe(400);
    expect((await own.actions.read(1)).type).toBe('flow');
  });

  it.each(WRONG)('refuses %s', async (_, overrides, errors) => {
    const before = await acme.read(1);
    expect(refusal(await acme.change(1, aNotification(overrides)))).toEqual(refused(errors));
    expect(await acme.read(1)).toEqual(before);
  });

  it('repeats the first answer under the same Idempotency-Key', async () => {
    const own = await newOrganization(api);
    await own.put(aNotification());
    const headers = { 'idempotency-key': 'once' };
    expect((await own.change(1, aNotification({ name: 'b' }), { headers })).status).toBe(200);
    await own.change(1, aNotification({ name: 'c' }));
    expect((await own.change(1, aNotification({ name: 'b' }), { headers })).status).toBe(200);
    expect((await own.read(1)).name).toBe('c');
  });
});
