import { afterAll, describe, expect, it } from 'vitest';
import { newOrganization, refusal, refused } from '#test/support/admin.ts';
import type { ApiRequest } from '#test/support/api.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { signInWith } from './sessions-api.ts';
import { domainOf, signInApi } from './sign-in-api.ts';

/** Keys that a person issues or rotates after a sign-in (rules/organizations.md#keys-from-a-sign-in). */

const { api, provider, enter, knownUser } = await signInApi();
afterAll(() => provider.stop());

const DAY = 86_400;
const now = () => Math.floor(api.services.clock.now() / 1e6);
const keyOf = ({ status, json, text }: TestAnswer) => {
  if (status !== 201) throw new Error(text);
  return json as { id: string; key: string; expires_at: number };
};
const tooLate = (sent: number) =>
  refused({
    expires_at: expect.stringMatching(
      new RegExp(
        `^A key that comes from a sign-in ends after 90 days at most. Send a time until \\d+, or leave the field out \\[input: ${sent}\\]$`,
      ),
    ),
  });

/** An admin of an organization who signed in, and an account whose keys this admin manages. */
async function signedIn() {
  const domain = domainOf();
  const user = await knownUser(`ann@${domain}`);
  const acme = await newOrganization(api);
  await acme.enroll(user, 'admin');
  await acme.create({ name: 'robot', privilege: 'member' });
  const { call } = await enter({ sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true });
  return { acme, call };
}

describe.each(['/user/api-keys', '/service-accounts/ORG/robot/api-keys'])('a key of %s from a sign-in', (template) => {
  const setting = async () => {
    const { acme, call } = await signedIn();
    const base = template.replace('ORG', acme.org);
    const as = (key: string) => (path: string, json: object) => api.call('POST', path, { key, json });
    return {
      base,
      as,
      issue: (json: object = {}) => call('POST', base, { json: { description: 'd', ...json } }),
      rotate: (id: string, json: object = {}, request: ApiRequest = {}) =>
        call('POST', `${base}/${id}/rotate`, { json, ...request }),
      admin: acme.keys.admin,
    };
  };

  it('ends after 90 days if the request names no end, and no later end is possible', async () => {
    const { issue } = await setting();
    for (const json of [{}, { expires_at: null }]) {
      expect(keyOf(await issue(json)).expires_at).toBeCloseTo(now() + 90 * DAY, -1);
    }
    expect(keyOf(await issue({ expires_at: now() + DAY })).expires_at).toBeCloseTo(now() + DAY, -1);
    for (const expires_at of [0, now() + 91 * DAY])
      expect(refusal(await issue({ expires_at }))).toEqual(tooLate(expires_at));
    expect(refusal(await issue({ expires_at: now() - 1 }))).toEqual(
      refused({ expires_at: expect.stringContaining('Input should not be in the past') }),
    );
    // The clock of the caller may be a little ahead.
    expect(keyOf(await issue({ expires_at: now() + 90 * DAY + 300 })).expires_at).toBeCloseTo(now() + 90 * DAY, -1);
  });

  it('keeps its latest end over rotations, also later, by another credential and after a shorter end', async () => {
    const { issue, rotate, admin, base, as } = await setting();
    const made = keyOf(await issue());
    const short = keyOf(await issue({ expires_at: now() + 30 * DAY }));
    expect(keyOf(await rotate(made.id)).expires_at).toBe(made.expires_at);
    expect(refusal(await rotate(made.id, { expires_at: 0 }))).toEqual(tooLate(0));
    const later = made.expires_at + DAY;
    expect(refusal(await rotate(made.id, { expires_at: later }))).toEqual(tooLate(later));
    expect(keyOf(await rotate(short.id, { expires_at: made.expires_at - 60 })).expires_at).toBe(made.expires_at - 60);
    if (!base.includes('service-accounts')) return;
    expect(refusal(await as(admin)(`${base}/${made.id}/rotate`, { expires_at: 0 }))).toEqual(tooLate(0));
    expect(keyOf(await as(admin)(`${base}/${made.id}/rotate`, {})).expires_at).toBe(made.expires_at);
  });
});

describe('a key from a sign-in', () => {
  it('hands its latest end on to keys that are issued or rotated with it, and with a session of it', async () => {
    const { acme, call } = await signedIn();
    const own = keyOf(await call('POST', '/user/api-keys', { json: { description: 'd' } }));
    api.services.clock.advance(10 * DAY * 1_000_000);
    const session = await signInWith(api)(own.key);
    const robot = acme.keysOf('robot');
    const senders = [
      (path: string, json: object) => api.call('POST', path, { key: own.key, json }),
      (path: string, json: object) => session.call('POST', path, { json }),
    ];
    const endless = (await acme.issue('robot')).id;
    for (const send of senders) {
      for (const path of ['/user/api-keys', robot]) {
        expect(keyOf(await send(path, { description: 'd' })).expires_at).toBe(own.expires_at);
        expect(refusal(await send(path, { description: 'd', expires_at: 0 }))).toEqual(tooLate(0));
      }
      expect(keyOf(await send(`${robot}/${endless}/rotate`, {})).expires_at).toBe(own.expires_at);
    }
    api.services.clock.advance(80 * DAY * 1_000_000);
    expect((await api.call('GET', '/user', { key: own.key })).status).toBe(401);
  });

  it('also is one whose endless secret is rotated after a sign-in', async () => {
    const { acme, call } = await signedIn();
    const { id, expires_at } = await acme.issue('robot');
    expect(expires_at).toBe(0);
    const path = acme.keysOf('robot', `/${id}/rotate`);
    expect(refusal(await call('POST', path, { json: { expires_at: 0 } }))).toEqual(tooLate(0));
    expect(keyOf(await call('POST', path, { json: {} })).expires_at).toBeCloseTo(now() + 90 * DAY, -1);
  });

  it('is not one that an API key issues', async () => {
    const { acme } = await signedIn();
    expect((await acme.issue('robot', { expires_at: 0 })).expires_at).toBe(0);
    const session = await signInWith(api)(acme.keys.admin);
    const answer = await session.call('POST', '/user/api-keys', { json: { description: 'd', expires_at: 0 } });
    expect(keyOf(answer).expires_at).toBe(0);
  });
});
