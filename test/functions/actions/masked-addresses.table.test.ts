import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { mayAs, ROLES } from '#shared/callers/roles.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { type ApiRequest, testApi } from '#test/support/api.ts';
import { deliveriesOf, relayOf } from '#test/support/relay.ts';
import { anAction, newOrganization } from './actions-api.ts';

/** No answer to a role below `member` contains the path or the query of a target's address. */

const MARKER = 'T0-secret-B0';
const CHAT = `https://chat.example.com/services/${MARKER}?token=${MARKER}`;
const HOOK = `https://hooks.example.com:8443/${MARKER}`;
const OTHER_HOOK = `https://hooks.example.com:8443/${MARKER}/other`;
const masked = (origin: string) => expect.stringMatching(new RegExp(`^${origin}/…#[0-9a-f]{8}$`));

const api = await testApi(groups);
const own = await newOrganization(api);
const targets = [
  { type: 'CHAT', webhook: CHAT },
  { type: 'WEBHOOK', webhook: HOOK },
  { type: 'WEBHOOK', webhook: OTHER_HOOK },
];
const send = async (method: string, path: string, json: unknown, request: ApiRequest = { json }) => {
  const { status, text } = await own.call(method, path, request);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
};
await send('PUT', `/flows/${own.org}`, { name: 'web' });
const trail = { name: 'run' };
await send('PUT', `/trails/${own.org}/web`, trail, { form: { fields: { data_json: JSON.stringify(trail) } } });
await send('PUT', `/environments/${own.org}`, { name: 'prod', type: 'server' });
await send('PUT', own.at('flows'), anAction({ targets, triggers: ['ON_ATTESTATION'] }));
const notification = { name: 'told', type: 'env', triggers: ['ON_COMPLIANT_ENV'], environments: ['prod'], targets };
await send('PUT', `/organizations/${own.org}/environments_notifications`, notification);
await send('POST', `/attestations/${own.org}/web/trail/run/generic`, { attestation_name: 'scan' });
await relayOf(api.services, own.id).settle();
const month = new Date(api.services.clock.now() / 1000).toISOString().slice(0, 7);
for (const delivery of await deliveriesOf(api.services.table, own.id, 1, [month])) {
  const detail = `The target answered 404: Cannot POST /services/${MARKER}`;
  const facts = {
    attempt: 1,
    at: delivery.created,
    duration: 1,
    status: 404,
    outcome: 'failed',
    digest: null,
  } as const;
  await recordAttempt(api.services.table, own.id, delivery, { ...facts, detail }, { state: 'dead' });
}

/** Values of parameters of paths, for what the organization has. */
const NAMES: Readonly<Record<string, string>> = {
  org: own.org,
  flow: 'web',
  flow_name: 'web',
  trail: 'run',
  trail_name: 'run',
  env_name: 'prod',
  action_number: '1',
  notification_number: '2',
  number: '1',
  'getTrailAttestations.name': 'scan',
};
/** Parameters of paths to records that no target has a part in. The organization has none of them. */
const OTHER_RECORDS: ReadonlySet<string> = new Set([
  ...['fingerprint', 'sha', 'snappish', 'repo', 'attestation_id', 'n', 'name', 'policy', 'identifier'],
  ...['version_number', 'evaluation_id', 'key_id', 'path', 'package_id', 'gap_id', 'draft_id'],
]);
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  listDeliveries: ['', 'include=message'],
  listActions: ['', 'type=flow', 'type=env'],
  explainEvent: ['flow=web&trail=run&moment=2'],
  searchNames: ['q=tell'],
  diffSnapshots: ['snappish1=prod&snappish2=prod'],
};
/** Operations that show addresses of targets to members. */
const SHOW_ADDRESSES = [
  'getAction',
  'getEnvironmentNotification',
  'listActions',
  'listDeliveries',
  'listEnvironmentNotifications',
];

/** Operations that have to find their record, because a target has a part in it. */
const ABOUT_TARGETS = [...SHOW_ADDRESSES, 'listAllDeliveries', 'explainEvent', 'searchNames', 'getTrailAttestations'];

const readable = groups
  .flatMap(({ endpoints }) => endpoints)
  .filter(({ method, access }) => method === 'GET' && (access === 'reader' || access === 'snapshotter'));

function pathOf({ operation, path }: Endpoint): string {
  return path.replace(/\{(\w+)\+?\}/g, (_, name: string) => {
    const value = NAMES[`${operation}.${name}`] ?? NAMES[name];
    if (value === undefined && !OTHER_RECORDS.has(name)) throw new Error(`The parameter ${name} has no value`);
    return value ?? 'a'.repeat(40);
  });
}

describe('addresses of targets', () => {
  it('are in no answer to a role below member, and whole for the others', async () => {
    const shown = new Set<string>();
    for (const endpoint of readable) {
      for (const query of QUERIES[endpoint.operation] ?? ['']) {
        for (const role of ROLES) {
          const { status, text, headers } = await own.call('GET', pathOf(endpoint), { as: role, query });
          expect([200, 202, 400, 404], `${endpoint.operation}: ${text}`).toContain(status);
          if (ABOUT_TARGETS.includes(endpoint.operation)) expect(status, endpoint.operation).toBe(200);
          const answer = text + JSON.stringify(headers);
          if (!mayAs(role, 'member')) expect(answer, `${endpoint.operation} as ${role}`).not.toContain(MARKER);
          else if (answer.includes(MARKER) && role === 'member') shown.add(endpoint.operation);
        }
      }
    }
    expect([...shown].toSorted()).toEqual(SHOW_ADDRESSES);
  });

  it('keep scheme and host for a reader, and stay different', async () => {
    const { json } = await own.call('GET', own.at(1), { as: 'reader' });
    const { targets: seen } = json as { targets: { webhook: string }[] };
    const hook = masked('https://hooks.example.com:8443');
    expect(seen).toMatchObject([{ webhook: masked('https://chat.example.com') }, { webhook: hook }, { webhook: hook }]);
    expect(new Set(seen.map(({ webhook }) => webhook)).size).toBe(3);
    const { json: page } = await own.call('GET', own.at('1/deliveries'), { as: 'reader' });
    const { deliveries } = page as { deliveries: { target: { webhook: string } }[] };
    expect(deliveries.map(({ target }) => target.webhook).toSorted()).toEqual(
      seen.map(({ webhook }) => webhook).toSorted(),
    );
  });

  it('are refused in masked form, because a save would lose the address', async () => {
    const { json } = await own.call('GET', own.at(1), { as: 'reader' });
    const sent = { ...(json as object), name: 'other', environments: undefined };
    const { status, json: refusal, text } = await own.call('PUT', own.at('flows'), { json: sent });
    expect(status).toBe(400);
    expect(refusal).toMatchObject({
      errors: {
        'targets[0].webhook':
          'The address is masked. Read the action as a member to get the whole address [input: hidden]',
      },
    });
    expect(text).not.toContain('…#');
  });
});
