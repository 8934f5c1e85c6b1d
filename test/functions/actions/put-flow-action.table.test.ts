import { describe, expect, it } from 'vitest';
import { FLOW_TRIGGERS } from '#shared/notifications/rules/records.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { describeAccess } from '#test/support/access.ts';
import { actionsApi, anAction, aWebhook, HOOK, newOrganization, refusal, refused } from './actions-api.ts';

const api = await actionsApi();
const acme = await newOrganization(api);
const TIME = expect.any(Number);

describe('PUT /actions/{org}/flows', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/actions/${org}/flows`,
    request: { json: anAction() },
    needs: 'member',
  });

  it('creates an action with the content of the request', async () => {
    const own = await newOrganization(api);
    await own.putFlow('web');
    const context = { channel_id: 'C1', channel_name: 'releases', team_id: 'T1' };
    const answer = await own.put({
      name: 'team/release~1',
      flows: ['web'],
      triggers: FLOW_TRIGGERS,
      unknown_field: 1,
      is_created_from_chat_app: true,
      targets: [
        { type: 'CHAT', webhook: 'https://chat.example.com/b', context, last_success_at: 5, last_failure_at: 6 },
        aWebhook(),
        { type: 'EMAIL', emails: ['ada@example.com', 'grace@example.com'] },
      ],
    });
    expect(refusal(answer)).toEqual([200, 'OK']);
    const never = { last_success_at: 0, last_failure_at: 0 };
    const action = await own.read(1);
    expect(action).toEqual({
      name: 'team/release~1',
      type: 'flow',
      number: 1,
      flows: ['web'],
      environments: [],
      triggers: FLOW_TRIGGERS,
      targets: [
        { type: 'CHAT', webhook: 'https://chat.example.com/b', context, ...never },
        { type: 'WEBHOOK', webhook: HOOK, payload_version: '1.0', ...never },
        { type: 'EMAIL', emails: ['ada@example.com', 'grace@example.com'], ...never },
      ],
      created_by: `${own.org}-admin`,
      created_at: TIME,
      last_modified_at: action.created_at,
      is_created_from_chat_app: false,
      is_created_from_slack_app: false,
      is_failing: false,
      last_success_timestamp: 0,
      last_failure_timestamp: 0,
      html_url: `https://api.example/${own.org}/actions/1`,
    });
  });

  it('accepts the forms that clients send: the other type name of chat targets, a nested config, nulls for absent fields', async () => {
    const own = await newOrganization(api);
    const targets = [
      { type: 'SLACK', webhook: 'https://chat.example.com/c' },
      { type: 'WEBHOOK', config: { webhook: HOOK, payload_version: '1.0' } },
      { type: 'EMAIL', email: 'ada@example.com, grace@example.com' },
    ];
    expect((await own.put({ name: 'a', type: null, flows: null, triggers: ['ON_RELEASE'], targets })).status).toBe(200);
    const action = await own.read(1);
    expect(action).toMatchObject({ flows: [], triggers: ['ON_RELEASE'], type: 'flow' });
    expect(action.targets).toMatchObject([
      { type: 'CHAT', context: {} },
      { type: 'WEBHOOK', webhook: HOOK },
      { type: 'EMAIL', emails: ['ada@example.com', 'grace@example.com'] },
    ]);
  });

  it('replaces the action of the same name and keeps its number, creator and time of creation', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    const before = await own.read(1);
    const other = 'https://hooks.example.com/other';
    const change = anAction({ triggers: ['ON_STARTED_TRAIL'], targets: [aWebhook({ webhook: other })] });
    expect(refusal(await own.put(change, { as: 'member' }))).toEqual([200, 'OK']);
    const after = await own.read(1);
    expect(after).toEqual({
      ...before,
      triggers: ['ON_STARTED_TRAIL'],
      targets: [expect.objectContaining({ webhook: other })],
      last_modified_at: after.last_modified_at,
    });
    expect(after.last_modified_at).toBeGreaterThan(before.last_modified_at);
    expect(await own.list()).toHaveLength(1);
  });

  it('finds flows by their old names and shows the current ones', async () => {
    const own = await newOrganization(api);
    await own.putFlow('web');
    const rename = (from: string, to: string) =>
      own.call('PUT', `/flows/${own.org}/${from}/rename`, { json: { new_name: to } });
    await rename('web', 'shop');
    expect((await own.put(anAction({ flows: ['web', 'shop', 'web'] }))).status).toBe(200);
    expect((await own.read(1)).flows).toEqual(['shop']);
    await rename('shop', 'store');
    expect((await own.read(1)).flows).toEqual(['store']);
  });

  it('refuses each flow that does not exist', async () => {
    const own = await newOrganization(api);
    await own.putFlow('web');
    const unknown = (flow: string) => `Flow named '${flow}' does not exist for organization '${own.org}'`;
    expect(refusal(await own.put(anAction({ flows: ['web', 'nope', 'a#b'] })))).toEqual(
      refused({ 'flows[1]': unknown('nope'), 'flows[2]': unknown('a#b') }),
    );
    expect(await own.list()).toEqual([]);
  });

  const text = expect.any(String);
  it.each([
    ['no name', { name: undefined }, { name: 'Field required [input: None]' }],
    [
      'a name that begins with a dash',
      { name: '-a' },
      { name: String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\-_\.~/]*$' [input: -a]` },
    ],
    ['a name with a hash', { name: 'a#b' }, { name: text }],
    ['a name of 256 characters', { name: 'n'.repeat(256) }, { name: text }],
    ['another type', { type: 'env' }, { type: text }],
    ['no targets', { targets: undefined }, { targets: 'Field required [input: None]' }],
    ['an empty list of targets', { targets: [] }, { targets: text }],
    ['too many targets', { targets: Array.from({ length: 21 }, () => aWebhook()) }, { targets: text }],
    ['an unknown kind of target', { targets: [{ type: 'PAGER', webhook: HOOK }] }, { 'targets[0].type': text }],
    ['a target without an address', { targets: [{ type: 'WEBHOOK' }] }, { 'targets[0].webhook': text }],
    ['plain http', { targets: [aWebhook({ webhook: 'http://a.example.com/' })] }, { 'targets[0].webhook': text }],
    ['a private address', { targets: [aWebhook({ webhook: 'https://10.0.0.1/' })] }, { 'targets[0].webhook': text }],
    ['a file', { targets: [aWebhook({ webhook: 'file:///etc/passwd' })] }, { 'targets[0].webhook': text }],
    ['credentials', { targets: [aWebhook({ webhook: 'https://a:b@x.example' })] }, { 'targets[0].webhook': text }],
    [
      'an endless URL',
      { targets: [aWebhook({ webhook: `${HOOK}${'a'.repeat(10_000)}` })] },
      { 'targets[0].webhook': text },
    ],
    ['another payload', { targets: [aWebhook({ payload_version: '2.0' })] }, { 'targets[0].payload_version': text }],
    [
      'a mail header',
      { targets: [{ type: 'EMAIL', emails: ['a@b.example\r\nBcc: c@d.example'] }] },
      { 'targets[0].emails[0]': text },
    ],
    ['a secret of another form', { targets: [aWebhook({ secret: 'hush' })] }, { 'targets[0].secret': text }],
    ['no triggers', { triggers: undefined }, { triggers: 'Field required [input: None]' }],
    ['null for triggers', { triggers: null }, { triggers: text }],
    ['an empty list of triggers', { triggers: [] }, { triggers: text }],
    ['an unknown trigger', { triggers: ['ON_ATTESTATION', 'ON_MONDAY'] }, { 'triggers[1]': text }],
    ['a trigger of environments', { triggers: ['ON_STARTED_ARTIFACT'] }, { 'triggers[0]': text }],
    ['flows that are no list', { flows: 'web' }, { flows: text }],
  ])('refuses %s', async (_, overrides, errors) => {
    expect(refusal(await acme.put(anAction(overrides)))).toEqual(refused(errors));
    expect(await acme.list()).toEqual([]);
  });

  it('gives numbers without gaps to actions that are created at once, and one number to a name', async () => {
    const own = await newOrganization(api);
    const names = ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((name) => own.put(anAction({ name }))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const actions = await own.list();
    expect(actions.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(actions.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps every one of several saves at once', async () => {
    const own = await newOrganization(api);
    await own.put(anAction());
    await Promise.all(FLOW_TRIGGERS.map((trigger) => own.put(anAction({ triggers: [trigger] }))));
    expect((await own.stored(1)).version).toBe(1 + FLOW_TRIGGERS.length);
  });

  it('creates one action under one Idempotency-Key, also if it was deleted since', async () => {
    const own = await newOrganization(api);
    const headers = { 'idempotency-key': 'once' };
    expect((await own.put(anAction(), { headers })).status).toBe(200);
    expect((await own.remove(1)).status).toBe(200);
    expect(refusal(await own.put(anAction(), { headers }))).toEqual([200, 'OK']);
    expect(await own.list()).toEqual([]);
    expect((await own.put(anAction({ name: 'other' }), { headers })).status).toBe(400);
  });

  it('accepts plain http for a target in an allowed network', async () => {
    const own = await newOrganization(api);
    const strict = api.services.guard;
    api.services.guard = addressGuard(['127.0.0.0/8']);
    try {
      expect((await own.put(anAction({ targets: [aWebhook({ webhook: 'http://127.0.0.1:9999/x' })] }))).status).toBe(
        200,
      );
    } finally {
      api.services.guard = strict;
    }
    expect((await own.read(1)).targets).toMatchObject([{ webhook: 'http://127.0.0.1:9999/x' }]);
  });
});
