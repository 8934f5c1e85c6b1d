import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { domainOf, signInApi } from '#test/functions/user/sign-in-api.ts';
import { type AdminOrganization, DENIED, newOrganization, refusal } from '#test/support/admin.ts';

const { api, provider, enter } = await signInApi();
afterAll(() => provider.stop());
const run = (command: string, organization: string, more: object = {}) =>
  runOperator(api.services, { command, organization, ...more });

let acme: AdminOrganization;
let other: AdminOrganization;
beforeEach(async () => {
  acme = await newOrganization(api);
  other = await newOrganization(api);
});

/** Facts are trusted for 30 seconds. */
const AFTER_TRUST = 31_000_000;
const REASON = 'A pipeline loops. Write to ops@example.com';
const stopped = () => [
  403,
  { message: `The operator of the service suspended the organization '${acme.org}': ${REASON}` },
];
const closed = () => [
  403,
  { message: `The operator of the service suspended changes of the organization '${acme.org}': ${REASON}` },
];

/** Suspends the organization, and waits until every function knows. */
async function suspend(what: string) {
  expect(await run('suspend-organization', acme.org, { what, reason: ` ${REASON} ` })).toMatchObject({
    ok: true,
    suspension: { what, reason: REASON },
  });
  api.services.clock.advance(AFTER_TRUST);
}

const write = async (key?: string) =>
  refusal(await acme.create({ name: 'ci', privilege: 'member' }, key ? { key } : {}));
const read = async (key?: string) => (await acme.account('ci', key ? { key } : {})).status;

describe('a suspended organization', () => {
  it('answers reads and refuses changes if its writes are suspended', async () => {
    await write();
    await suspend('writes');
    expect(await write()).toEqual(closed());
    expect(await read()).toBe(200);
    expect(await read(acme.keys.reader)).toBe(200);
  });

  it('refuses every request if everything is suspended, and tells strangers nothing', async () => {
    await suspend('everything');
    for (const key of Object.values(acme.keys)) {
      expect(refusal(await acme.account('ci', { key }))).toEqual(stopped());
    }
    expect(await write()).toEqual(stopped());
    expect(refusal(await acme.account('ci', { key: other.keys.admin }))).toEqual(DENIED);
    expect((await acme.account('ci', { key: 'wrong' })).status).toBe(401);
    expect((await other.account('ci')).status).toBe(404);
  });

  it('refuses sessions, and lets nobody join', async () => {
    const domain = domainOf();
    await acme.grant({ domain: [domain] });
    await acme.call('PUT', '/organizations/ORG/sign-in-rules', { json: { rules: [{ domain, role: 'reader' }] } });
    const person = (name: string) =>
      enter({ sub: `${name}-${domain}`, email: `${name}@${domain}`, email_verified: true });
    const [ann, bob] = [await person('ann'), await person('bob')];
    const join = async (who: typeof ann) => refusal(await who.call('PUT', `/organizations/${acme.org}/membership`));
    expect(await join(ann)).toEqual([200, 'OK']);
    await suspend('everything');
    expect(refusal(await ann.call('GET', `/service-accounts/${acme.org}`))).toEqual(stopped());
    expect(await join(bob)).toEqual(closed());
    expect((await ann.call('GET', '/user')).status).toBe(200);
  });

  it('takes changes again after its suspension ended', async () => {
    await suspend('everything');
    expect(await run('resume-organization', acme.org)).toEqual({
      ok: true,
      message: `Nothing of '${acme.org}' is suspended`,
      suspension: null,
    });
    api.services.clock.advance(AFTER_TRUST);
    expect((await write())[0]).toBe(201);
    expect(await acme.audit('kind=organization')).toMatchObject([
      {
        kind: 'organization.suspension_changed',
        before: { suspension: { what: 'everything' } },
        after: { suspension: null },
      },
      {
        kind: 'organization.suspension_changed',
        actor: { kind: 'operator' },
        before: { suspension: null },
        after: { suspension: { what: 'everything', reason: REASON } },
      },
    ]);
  });

  it('has one audit entry if the same command is repeated, and keeps its beginning if the suspension changes', async () => {
    const wanted = { what: 'writes', reason: REASON };
    const first = await run('suspend-organization', acme.org, wanted);
    expect(await run('suspend-organization', acme.org, wanted)).toEqual(first);
    expect(await acme.audit('kind=organization')).toHaveLength(1);
    const { since } = (first as unknown as { suspension: { since: number } }).suspension;
    expect(await run('suspend-organization', acme.org, { ...wanted, what: 'everything' })).toMatchObject({
      suspension: { what: 'everything', since },
    });
  });
});

describe('the commands of a suspension refuse', () => {
  it.each([
    ['what', { what: 'reads', reason: REASON }],
    ['what', { reason: REASON }],
    ['reason', { what: 'writes' }],
    ['reason', { what: 'writes', reason: '  ' }],
    ['reason', { what: 'writes', reason: 'a'.repeat(257) }],
    ['until', { what: 'writes', reason: REASON, until: 'tomorrow' }],
  ])('a wrong %s', async (field, given) => {
    const outcome = await run('suspend-organization', acme.org, given);
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(field) });
    expect(await acme.audit('kind=organization')).toEqual([]);
  });

  it('an unknown organization', async () => {
    const unknown = { ok: false, message: "There is no organization 'nowhere'" };
    expect(await run('suspend-organization', 'nowhere', { what: 'writes', reason: REASON })).toEqual(unknown);
    expect(await run('resume-organization', 'nowhere')).toEqual(unknown);
  });
});
