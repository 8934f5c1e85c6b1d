import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { asksForRole, type Endpoint } from '#shared/http/endpoint.ts';
import { exchangedKeyManagesNoAccess, ruleManagesNoAccess } from '#shared/http/sentences.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { accountWrites, readAccount } from '#shared/organizations/records/service-accounts.ts';
import { anAction, aWebhook } from '#test/functions/actions/actions-api.ts';
import { AUDIENCE, keyOf, trustingOrganization } from '#test/functions/service-accounts/trusts-api.ts';
import { signInWith } from '#test/functions/user/sessions-api.ts';
import { signInApi } from '#test/functions/user/sign-in-api.ts';
import { newOrganization } from '#test/support/admin.ts';
import type { ApiRequest } from '#test/support/api.ts';
import { uniqueName } from '#test/support/directory.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { startIssuer } from '#test/support/identity/issuer.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress } from '#test/support/table.ts';

/**
 * What callers whose own access ends by itself may not do (rules/organizations.md#managing-access): every endpoint that manages
 * access is asked with an exchanged key of an admin account, with a session of that key, and as an admin by a sign-in rule. An
 * admin who is a member then sends the same requests, so that each of them is known to be a request that works.
 */

const { api, provider, enter } = await signInApi(groups);
const issuer = await startIssuer();
afterAll(() => Promise.all([provider.stop(), issuer.stop()]));

const acme = await trustingOrganization(api);
/** A domain that its sign-in rules may name. */
const DOMAIN = `${acme.org}.example`;
const endpoints = groups.flatMap((group) => group.endpoints);
const managing = endpoints.filter(({ managesAccess }) => managesAccess);

type Sender = (method: string, path: string, request?: ApiRequest) => Promise<TestAnswer>;

/** What the requests of {@link REQUESTS} name. */
interface Things {
  /** A user who is no member. */
  stranger: string;
  /** An organization that invited the admin. */
  inviting: string;
  rotated: string;
  revoked: string;
  ownRotated: string;
  ownRevoked: string;
  action: string;
}
let things: Things;
let exchanged: string;

const done = (answer: TestAnswer): Record<string, string> => {
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.json as Record<string, string>;
};

beforeAll(async () => {
  await acme.grant({ domain: [DOMAIN] });
  const stranger = uniqueName('stranger');
  await runOperator(api.services, { command: 'create-user', name: stranger });
  await acme.create({ name: 'robot', privilege: 'reader' });
  await acme.create({ name: 'doomed', privilege: 'reader' });
  await acme.putTrust('doomed', { issuer: issuer.url, claims: { sub: 'nobody' } });
  const ownKey = async () =>
    done(await acme.call('POST', '/user/api-keys', { json: { description: 'd' } }))['id'] ?? '';
  const { headers } = await acme.call('PUT', `/actions/${acme.org}/flows`, { json: anAction() });
  const { org: inviting, put } = await newOrganization(api);
  await put(`${acme.org}-admin`, 'reader');
  things = {
    stranger,
    inviting,
    rotated: (await acme.issue('robot')).id,
    revoked: (await acme.issue('robot')).id,
    ownRotated: await ownKey(),
    ownRevoked: await ownKey(),
    action: headers['x-resource-id'] ?? '',
  };
  await acme.putTrust('ci', { issuer: issuer.url });
  const token = await issuer.token({ aud: AUDIENCE }, api.services.clock.now() / 1e6);
  exchanged = keyOf(await acme.exchange(token));
  await makeAdmin('ci');
});

/** Gives an account the highest role although a trust names it, as earlier releases and a race allow. */
async function makeAdmin(name: string): Promise<void> {
  const { table } = api.services;
  const org = await new Directory(table).organization(acme.org);
  const account = org && (await readAccount(table, org.id, name));
  if (!account) throw new Error(`There is no account ${name}`);
  const admin = { ...account, privilege: 'admin', rev: account.rev + 1 } as const;
  await table.transact(accountWrites(org.id, { before: account, after: admin }).writes);
}

/** A request to each endpoint that manages access, which an admin may make: a path and a body. */
const REQUESTS: Record<string, () => [path: string, json?: object]> = {
  createServiceAccount: () => [`/service-accounts/${acme.org}`, { name: 'more', privilege: 'admin' }],
  updateServiceAccount: () => [`/service-accounts/${acme.org}/robot`, { privilege: 'member' }],
  deleteServiceAccount: () => [`/service-accounts/${acme.org}/doomed`],
  issueServiceAccountKey: () => [acme.keysOf('robot'), { description: 'd' }],
  rotateServiceAccountKey: () => [acme.keysOf('robot', `/${things.rotated}/rotate`), {}],
  revokeServiceAccountKey: () => [acme.keysOf('robot', `/${things.revoked}`)],
  putTrust: () => [
    `/trusts/${acme.org}/more`,
    { service_account: 'robot', preset: 'any', issuer: issuer.url, audience: AUDIENCE, claims: { sub: 'x' } },
  ],
  deleteTrust: () => [`/trusts/${acme.org}/doomed`],
  issuePersonalKey: () => ['/user/api-keys', { description: 'd' }],
  rotatePersonalKey: () => [`/user/api-keys/${things.ownRotated}/rotate`, {}],
  revokePersonalKey: () => [`/user/api-keys/${things.ownRevoked}`],
  putMember: () => [`/organizations/${acme.org}/members/${things.stranger}`, { role: 'admin' }],
  removeMember: () => [`/organizations/${acme.org}/members/${acme.org}-reader`],
  joinOrganization: () => [`/organizations/${things.inviting}/membership`],
  leaveOrganization: () => [`/organizations/${things.inviting}/membership`],
  putExperimentalFeatures: () => [
    `/organizations/${acme.org}/experimental_features`,
    { experimental_features_enabled: false },
  ],
  putSignInRules: () => [`/organizations/${acme.org}/sign-in-rules`, { rules: [{ domain: DOMAIN, role: 'member' }] }],
  getSigningSecret: () => [`/actions/${acme.org}/${things.action}/signing-secret`],
  rotateSigningSecret: () => [`/actions/${acme.org}/${things.action}/signing-secret/rotate`],
};

function send({ operation, method }: Endpoint, sender: Sender): Promise<TestAnswer> {
  const request = REQUESTS[operation];
  if (!request) throw new Error(`Add a request to ${operation}, which manages access`);
  const [path, json] = request();
  return sender(method, path, json && { json });
}

const withExchanged: Sender = (method, path, request = {}) => acme.call(method, path, { key: exchanged, ...request });
const byOperation = (some: readonly Endpoint[]) => some.map((endpoint) => [endpoint.operation, endpoint] as const);

/** A value for a parameter of a path, which names nothing that exists. */
const plausible = (parameter: string): string => {
  if (parameter === 'org') return acme.org;
  if (/fingerprint|sha|^fp$/.test(parameter)) return 'a'.repeat(64);
  return /number|^n$|index/.test(parameter) ? '99' : 'unknown';
};

const stored = async (): Promise<string[]> =>
  (await scanTable(databaseAddress(), api.services.table.name)).map((item) => JSON.stringify(item)).toSorted();

/** Expects a refusal with the sentence, which leaves the table as it was. */
async function expectRefused(endpoint: Endpoint, sender: Sender, sentence: { text: string }): Promise<void> {
  const before = await stored();
  const { status, json } = await send(endpoint, sender);
  expect([status, json]).toEqual([403, { message: sentence.text }]);
  expect(await stored()).toEqual(before);
}

describe('an exchanged key of an admin account', () => {
  it.each(byOperation(managing))('is refused %s', async (_, endpoint) => {
    await expectRefused(endpoint, withExchanged, exchangedKeyManagesNoAccess);
  });

  it('has sessions that are refused too, that end with the key, and that can be ended', async () => {
    const session = await signInWith(api)(exchanged);
    for (const endpoint of managing) await expectRefused(endpoint, session.call, exchangedKeyManagesNoAccess);
    expect(session.session.expires_at).toBeLessThanOrEqual(api.services.clock.now() / 1e6 + 900);
    expect((await session.call('DELETE', '/user/session')).status).toBe(200);
    expect(await session.status()).toBe(401);
  });

  /** Endpoints that refuse every service account, or this one for a reason of their own. */
  const OTHERWISE_REFUSED = [
    ...['setDefaultOrganization', 'listPersonalKeys', 'getPersonalKey'],
    ...['confirmDraft', 'discardDraft'],
  ];
  const others = endpoints.filter(({ managesAccess, access }) => !managesAccess && access !== 'public');

  it.each(byOperation(others))('may call %s', async (operation, { method, path }) => {
    const filled = path.replace(/\{(\w+)\+?\}/g, (_, name: string) => plausible(name));
    const { status, json } = await withExchanged(method, filled);
    expect(json).not.toEqual({ message: exchangedKeyManagesNoAccess.text });
    expect(status === 403).toBe(OTHERWISE_REFUSED.includes(operation));
    expect([401, 500]).not.toContain(status);
  });
});

describe('an admin by a sign-in rule', () => {
  const group = uniqueName('admins');
  let call: Sender;
  beforeAll(async () => {
    const rules = [{ group, role: 'admin' }];
    await acme.grant({ group: [group] });
    done(await acme.call('PUT', `/organizations/${acme.org}/sign-in-rules`, { json: { rules } }));
    call = await joins();
  });
  /** A person of the group signs in and joins. */
  const joins = async (): Promise<Sender> => {
    const { call } = await enter({ sub: uniqueName('sub'), groups: [group] });
    done(await call('PUT', `/organizations/${acme.org}/membership`));
    return call;
  };
  // The own membership is the person's, and nobody gets more by it than the rule gives.
  const ofOrganization = managing.filter(({ access }) => asksForRole(access));

  it.each(byOperation(ofOrganization))('is refused %s', async (_, endpoint) => {
    await expectRefused(endpoint, call, ruleManagesNoAccess);
  });

  it('reads, writes and ends the session', async () => {
    const written = await call('PUT', `/flows/${acme.org}`, { json: { name: 'web' } });
    expect(written.status).toBe(201);
    expect(
      (await call('PUT', `/actions/${acme.org}/flows`, { json: anAction({ targets: [aWebhook()] }) })).status,
    ).toBe(200);
    expect((await call('GET', `/audit/${acme.org}`)).status).toBe(200);
    expect((await call('PUT', `/user/${acme.org}`)).status).toBe(200);
    expect((await call('DELETE', '/user/session')).status).toBe(200);
  });

  it('may make a personal key, which does not work in the organization', async () => {
    const call = await joins();
    const { key } = done(await call('POST', '/user/api-keys', { json: { description: 'd' } }));
    expect((await call('GET', `/flows/${acme.org}`)).status).toBe(200);
    const denied = await api.call('GET', `/flows/${acme.org}`, { key: key ?? '' });
    expect([denied.status, denied.json]).toEqual([
      403,
      { message: "You don't have permission to access this resource" },
    ]);
    expect((await api.call('GET', '/user', { key: key ?? '' })).json).toMatchObject({ organizations: [] });
  });

  it('manages access as soon as the person is a member with that role', async () => {
    const call = await joins();
    const { name = '' } = done(await call('GET', '/user'));
    await acme.enroll(name, 'admin');
    api.services.clock.advance(30_000_000);
    expect(
      (await call('POST', `/service-accounts/${acme.org}`, { json: { name: 'mine', privilege: 'admin' } })).status,
    ).toBe(201);
  });
});

it.each(byOperation(managing))('an admin who is a member may call %s with the same request', async (_, endpoint) => {
  const { status, text } = await send(endpoint, acme.call);
  expect(status, text).toBeLessThan(300);
});
