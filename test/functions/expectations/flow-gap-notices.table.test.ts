import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { actionsGroup } from '#functions/actions/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { notified } from '#test/functions/notifier/notified.ts';
import { testApi } from '#test/support/api.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { relayOf } from '#test/support/relay.ts';
import { GAP_MINUTE as MINUTE, sweepsOf } from './gap-sweeps.ts';

const api = await testApi(
  [
    expectationsGroup,
    flowsGroup,
    trailsGroup,
    attestationsGroup,
    actionsGroup,
    environmentsGroup,
    environmentNotificationsGroup,
  ],
  { guard: addressGuard(['127.0.0.0/8']) },
);
const { clock } = api.services;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const BOTH = ['ON_EXPECTATION_MISSED', 'ON_EXPECTATION_MET_AGAIN'];

interface Told {
  event_type: string;
  flow?: string;
  description: string;
  gap: { id: string; subject: { type: string }; until?: number };
  due_soon?: { subject: { type: string } };
}

/** An organization with the flows `web` and `shop`, its sweeps, relay and notifier, and what its actions told the receiver. */
async function watched() {
  const acme = await newOrganization(api);
  const relay = relayOf(api.services, acme.id);
  const sweeps = sweepsOf(api.services, acme.id);
  const notifier = await notified(api.services.table, { org: acme.id, clock });
  const send = async (method: string, path: string, json: unknown) => {
    const answer = await acme.call(method, path.replace('ORG', acme.org), { json });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer;
  };
  await acme.putFlow('web');
  await acme.putFlow('shop');
  await send('PUT', '/environments/ORG', { name: 'prod', type: 'server' });
  const hook = (name: string, type = 'WEBHOOK') => ({ type, webhook: `${receiver.url}/${acme.org}/${name}` });
  const action = (name: string, flows: string[], triggers = BOTH, targets = [hook(name)]) =>
    send('PUT', '/actions/ORG/flows', { name, flows, triggers, targets });
  /** Each once: a message can come twice, with the same id. */
  const requests = (name: string) => [
    ...new Map(
      receiver.requests.filter(({ path }) => path === `/${acme.org}/${name}`).map((one) => [one.id || one.body, one]),
    ).values(),
  ];
  const sweep = () => sweeps.sweep({ table: api.services.table, deliveries: relay.services.deliveries });
  return {
    acme,
    sweeps,
    sweep,
    send,
    hook,
    action,
    requests,
    notify: (name: string, triggers = BOTH) =>
      send('PUT', '/organizations/ORG/environments_notifications', {
        ...{ name, type: 'env', environments: ['prod'], triggers },
        targets: [hook(name)],
      }),
    put: (fields: object) =>
      send('PUT', '/expectations/ORG', { kind: 'activity', every: 'PT20M', grace: 'PT2M', ...fields }),
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.advance(MINUTE);
        await sweep();
      }
    },
    /** Lets the relay and the notifier do what there is to do. */
    settle: async () => {
      await relay.settle();
      const sent = relay.take().map(({ message }) => message);
      if (sent.length > 0) expect(await notifier.notify(sent)).toEqual([]);
    },
    /** What a webhook was told: event, and the flow or what the subject is. */
    told: (name: string) =>
      requests(name)
        .map(({ body }) => JSON.parse(body) as Told)
        .map(({ event_type, flow, gap, due_soon }) => `${event_type} ${flow ?? (due_soon ?? gap).subject.type}`)
        .toSorted(),
    bodies: (name: string) => requests(name).map(({ body }) => JSON.parse(body) as Told),
  };
}

it('actions about flows are told by signed webhook and chat when gaps of flows and scopes begin and end, once', async () => {
  const org = await watched();
  const { acme, action, hook, put, pass, settle, told, requests, bodies, sweeps, send } = org;
  await action('every', []);
  await action('web', ['web'], BOTH, [hook('web'), hook('chat', 'CHAT')]);
  await action('shop-ends', ['shop'], ['ON_EXPECTATION_MET_AGAIN']);
  await org.notify('prod');
  await put({ name: 'begins', scope: { flows: ['web', 'shop'] }, owner: 'team-web', severity: 'critical' });
  const any = { kind: 'evidence', evidence: { name: 'review' }, per: 'scope' };
  await put({ name: 'any', ...any, scope: { flows: ['shop'] } });
  await pass(24);
  await settle();
  await pass(9);
  await settle();
  expect(told('every')).toEqual(['EXPECTATION_MISSED scope', 'EXPECTATION_MISSED shop', 'EXPECTATION_MISSED web']);
  expect([told('web'), told('shop-ends'), told('prod')]).toEqual([['EXPECTATION_MISSED web'], [], []]);
  const [missed] = requests('web');
  const { json: secret } = await acme.get(`/actions/${acme.org}/2/signing-secret`);
  // The time of the message is that of the test, so the library would refuse it as too new.
  const { 'webhook-timestamp': seconds, 'webhook-signature': signature } = missed?.headers ?? {};
  // The body of a signing secret.
  const webhook = new Webhook((secret as { secret: string }).secret);
  expect(signature).toBe(webhook.sign(missed?.id ?? '', new Date(Number(seconds) * 1000), missed?.body ?? ''));
  expect(bodies('web')[0]).toMatchObject({
    description: "Expectation 'begins' is missed in flow 'web': no trail for more than PT20M",
    gap: { severity: 'critical', owner: 'team-web', subject: { type: 'flow', flow: 'web' } },
  });
  expect(JSON.parse(requests('chat')[0]?.body ?? '').text).toMatch(
    /^❌ \*Expectation 'begins' is missed in flow 'web': .*\n<https:\/\/evidence\.example\/.*\/gaps\/.*\|web> · severity critical/,
  );

  // An excuse tells nobody anything; the end of an excused gap is told.
  const ofWeb = bodies('web')[0]?.gap.id;
  await send('POST', `/gaps/ORG/${ofWeb}/excuse`, { text: 'Nothing to deliver' });
  await settle();
  expect(told('every')).toHaveLength(3);
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow: 'shop', trail: 'one' });
  await acme.begin({}, { flow: 'web', trail: 'one' });
  await settle();
  await settle();
  await pass(2);
  await sweeps.tell();
  expect(told('every').filter((one) => one.includes('MET_AGAIN'))).toEqual([
    'EXPECTATION_MET_AGAIN scope',
    'EXPECTATION_MET_AGAIN shop',
    'EXPECTATION_MET_AGAIN web',
  ]);
  expect(told('web')).toEqual(['EXPECTATION_MET_AGAIN web', 'EXPECTATION_MISSED web']);
  // The version of the expectation names the flow, so its whole scope is about the flow.
  expect(told('shop-ends')).toEqual(['EXPECTATION_MET_AGAIN scope', 'EXPECTATION_MET_AGAIN shop']);
  expect(told('prod')).toEqual([]);
  expect(bodies('web')[1]?.gap).toMatchObject({ id: ofWeb, until: expect.any(Number) });
  expect(await sweeps.makeUp()).toEqual([]);

  const explained = async (gap: string | undefined, trigger: string) => {
    const query = `gap=${gap}&trigger=${trigger}`;
    const { status, json } = await acme.get(`/deliveries/${acme.org}/explain`, query);
    if (status !== 200) return status;
    // The body of an explanation.
    const { event, actions } = json as { event: object; actions: { mismatch: string | null; targets: object[] }[] };
    return { event, actions: actions.map(({ mismatch, targets }) => mismatch ?? targets.length) };
  };
  expect(await explained(ofWeb, 'ON_EXPECTATION_MISSED')).toMatchObject({
    event: { flow: 'web', type: 'EXPECTATION_MISSED', html_url: expect.stringContaining(`/gaps/${ofWeb}`) },
    actions: [1, 2, 'trigger', 'flow'],
  });
  const ofScope = bodies('every').find(({ gap }) => gap.subject.type === 'scope')?.gap.id;
  const scope = await explained(ofScope, 'ON_EXPECTATION_MET_AGAIN');
  expect(scope).toMatchObject({ actions: [1, 'flow', 1, 'flow'] });
  expect(scope).not.toHaveProperty('event.flow');
  expect(await explained(ofWeb, 'ON_COMPLIANT_ENV')).toBe(404);
});

it('a lost message about a flow is made up for by the sweep of events, once', async () => {
  const { action, put, pass, sweeps, acme } = await watched();
  await action('every', []);
  await put({ name: 'begins', scope: { flows: ['web'] } });
  await pass(26);
  expect(await sweeps.makeUp()).toEqual([['audit', 1]]);
  expect(await sweeps.makeUp()).toEqual([]);
  const { json } = await acme.get(`/deliveries/${acme.org}`, 'flow=web&trigger=ON_EXPECTATION_MISSED');
  expect((json as { deliveries: unknown[] }).deliveries).toHaveLength(1);
});

it('actions of the trigger are told once before reports, evidence and whole scopes are missed', async () => {
  const org = await watched();
  const { acme, action, put, pass, settle, told, bodies, send } = org;
  const SOON = ['ON_EXPECTATION_DUE_SOON'];
  await action('every', [], SOON);
  await action('web', ['web'], SOON);
  await action('missed', [], ['ON_EXPECTATION_MISSED']);
  await org.notify('prod', SOON);
  await put({ name: 'begins', scope: { flows: ['web', 'shop'] }, due_soon: 'PT5M', owner: 'team-web' });
  const any = { kind: 'evidence', evidence: { name: 'review' }, per: 'scope' };
  await put({ name: 'any', ...any, scope: { tags: { tier: '1' } }, due_soon: 'PT2M' });
  await put({ name: 'alive', kind: 'reports', scope: { environments: ['prod'] }, due_soon: 'PT3M' });
  await put({ name: 'silent', scope: { flows: ['web'] } });
  await pass(10);
  await acme.begin({}, { flow: 'shop', trail: 'one' });
  await settle();
  await pass(6);
  expect(told('every')).toEqual([]);
  // A second look within the overlap, and a sweep that comes twice.
  await pass(2);
  await org.sweep();
  await settle();
  expect(told('every')).toEqual(['EXPECTATION_DUE_SOON web']);
  await pass(3);
  await settle();
  expect(told('every')).toEqual(['EXPECTATION_DUE_SOON scope', 'EXPECTATION_DUE_SOON web']);
  expect([told('web'), told('prod'), told('missed')]).toEqual([
    ['EXPECTATION_DUE_SOON web'],
    ['EXPECTATION_DUE_SOON environment'],
    [],
  ]);
  const { due_soon: soon } = bodies('web')[0] ?? {};
  const { json } = await acme.get(`/expectations/${acme.org}/begins/subjects`);
  const { subjects } = json as { subjects: { subject: { flow: string }; due_at: number }[] };
  expect(soon).toMatchObject({
    ...{ expectation: 'begins', owner: 'team-web', subject: { type: 'flow', flow: 'web' } },
    due_at: subjects.find(({ subject }) => subject.flow === 'web')?.due_at,
  });
  await pass(2);
  await settle();
  expect(told('every')).toHaveLength(2);
  expect(told('missed')).toContain('EXPECTATION_MISSED web');
  // Without the field nobody is told any more, and that is a new version.
  const cleared = await put({ name: 'begins', scope: { flows: ['web', 'shop'] }, owner: 'team-web' });
  expect(cleared.json).toMatchObject({ version: 2, due_soon: null });
  const kept = await send('PUT', '/expectations/ORG', {
    ...{ name: 'alive', kind: 'reports', every: 'PT20M', grace: 'PT2M' },
    ...{ scope: { environments: ['prod'] }, due_soon: 'PT180S' },
  });
  expect(kept.json).toMatchObject({ version: 1, due_soon: 'PT3M' });
  await pass(14);
  await settle();
  expect(told('every')).toHaveLength(2);
});

it('an arrival in time that the relay brings late turns its gap into an unknown one, and the same actions are told', async () => {
  const { acme, action, put, pass, settle, told } = await watched();
  await action('every', []);
  await put({ name: 'begins', scope: { flows: ['web'] } });
  await pass(19);
  await acme.begin({}, { flow: 'web', trail: 'one' });
  // The relay is behind, so the look does not know of the trail.
  await pass(5);
  const gaps = async () =>
    ((await acme.get(`/gaps/${acme.org}`)).json as { gaps: { state: string; from: number; until: number }[] }).gaps;
  expect(await gaps()).toMatchObject([{ state: 'open' }]);
  await settle();
  await settle();
  const [late] = await gaps();
  expect(late).toMatchObject({ state: 'unknown', until: late?.from, ended: 'arrived' });
  expect(told('every')).toEqual(['EXPECTATION_MET_AGAIN web', 'EXPECTATION_MISSED web']);
});
