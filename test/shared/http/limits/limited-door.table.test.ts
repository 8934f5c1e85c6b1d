import { beforeAll, describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { newOrganization, refusal } from '#test/support/admin.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { steppingClock } from '#test/support/clock.ts';
import { uniqueName } from '#test/support/directory.ts';

/** Facts and the state of the table are trusted for at most 30 seconds. */
const AFTER_TRUST = 31_000_000;
const both = (rate: number, burst: number) => ({ requests: { rate, burst }, writes: { rate, burst } });
const LIMITS = { stage: { rate: 100, burst: 100 }, organization: both(3, 6), key: both(2, 4) };

let api: TestApi;
beforeAll(async () => {
  api = await testApi([serviceAccountsGroup, organizationsGroup, userGroup], {
    limits: LIMITS,
    clock: steppingClock(fromSeconds(1_800_000_000)),
  });
});
const operate = (command: string, fields: object) => runOperator(api.services, { command, ...fields });
const createOrganization = () => operate('create-organization', { name: uniqueName('org') });

/** Sends so many requests at once. @returns their statuses, sorted */
async function statuses(send: () => Promise<{ status: number }>, count: number) {
  return (await Promise.all(Array.from({ length: count }, send))).map(({ status }) => status).toSorted();
}

const OK = (count: number) => Array.from({ length: count }, () => 200);
const REFUSED = (count: number) => Array.from({ length: count }, () => 429);

describe('a region', () => {
  it('limits nobody while it has one shared organization, and each key and organization from the second one on', async () => {
    const acme = await newOrganization(api);
    await createOrganization();
    const read = (key: string) => acme.call('GET', '/service-accounts/ORG', { key });
    const { admin, member, reader } = acme.keys;
    expect(await statuses(() => read(admin), 20)).toEqual(OK(20));

    await createOrganization();
    api.services.clock.advance(AFTER_TRUST);
    expect(await statuses(() => read(admin), 10)).toEqual([...OK(4), ...REFUSED(6)]);
    const { status, json, headers } = await read(admin);
    expect([status, json]).toEqual([
      429,
      { message: 'This key sends more requests than 2 a second. Try again in 1 s' },
    ]);
    expect(headers).toMatchObject({
      'retry-after': '1',
      ratelimit: '"key-requests";r=0;t=1',
      'ratelimit-policy': '"key-requests";q=4;w=2',
      'x-request-id': expect.any(String),
      'content-type': 'application/json',
    });
    // The organization has two requests left.
    expect(await statuses(() => read(member), 4)).toEqual([...OK(2), ...REFUSED(2)]);
    expect(refusal(await read(reader))).toEqual([
      429,
      { message: `The organization '${acme.org}' sends more requests than 3 a second. Try again in 1 s` },
    ]);
    const other = await newOrganization(api);
    expect(await statuses(() => other.call('GET', '/service-accounts/ORG'), 4)).toEqual(OK(4));
    api.services.clock.advance(1_000_000);
    expect((await read(reader)).status).toBe(200);
  });

  it('does not count requests of strangers, and limits requests without an organization by their key', async () => {
    const acme = await newOrganization(api);
    const stranger = await newOrganization(api);
    expect(
      (await statuses(() => acme.call('GET', '/service-accounts/ORG', { key: stranger.keys.reader }), 9)).at(-1),
    ).toBe(403);
    expect((await statuses(() => acme.call('GET', '/service-accounts/ORG', { key: 'wrong' }), 9)).at(-1)).toBe(401);
    expect(await statuses(() => api.call('GET', '/user', { key: acme.keys.member }), 6)).toEqual([
      ...OK(4),
      ...REFUSED(2),
    ]);
    expect(await statuses(() => acme.call('GET', '/service-accounts/ORG'), 4)).toEqual(OK(4));
  });
});

describe('limit-organization', () => {
  it('gives an organization limits of its own, and takes them away', async () => {
    const acme = await newOrganization(api);
    expect(await operate('limit-organization', { organization: acme.org, requests: '1/2' })).toEqual({
      ok: true,
      message: `'${acme.org}' has limits of its own`,
      limits: both(1, 2),
    });
    expect(await statuses(() => acme.call('GET', '/service-accounts/ORG'), 4)).toEqual([...OK(2), ...REFUSED(2)]);
    expect(await operate('limit-organization', { organization: acme.org })).toMatchObject({ ok: true, limits: null });
    api.services.clock.advance(AFTER_TRUST);
    expect(await statuses(() => acme.call('GET', '/service-accounts/ORG'), 4)).toEqual(OK(4));
  });

  it.each([
    ['zero', { requests: '0/5' }, 'requests: Should be the requests in a second'],
    ['a negative number', { requests: '-1/5' }, 'requests: Should be the requests in a second'],
    ['less at once than in a second', { requests: '5/1' }, 'requests: Should be the requests in a second'],
    ['another form', { requests: 'many' }, 'requests: Should be the requests in a second'],
    [
      'more than the stage',
      { requests: '101/101' },
      'requests: The stage admits no more than 100/100 of all organizations',
    ],
    ['more changes than requests', { requests: '5/5', writes: '6/6' }, 'writes: The limit of changes cannot be above'],
    ['a limit of changes alone', { writes: '5/5' }, 'Give the limit of all requests, too'],
  ])('refuses %s', async (_, given, says) => {
    const acme = await newOrganization(api);
    const outcome = await operate('limit-organization', { organization: acme.org, ...given });
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(says) });
  });

  it('refuses an unknown organization', async () => {
    expect(await operate('limit-organization', { organization: 'nowhere', requests: '1/2' })).toEqual({
      ok: false,
      message: "There is no organization 'nowhere'",
    });
  });
});
