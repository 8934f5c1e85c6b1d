import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainOf, problemOf, refusedWith, signInApi } from '#test/functions/user/sign-in-api.ts';
import { newOrganization } from '#test/support/admin.ts';
import { issuerKey } from '#test/support/identity/issuer.ts';

const { api, provider, begin, callback, enter, knownUser } = await signInApi();
afterAll(() => provider.stop());

describe('nobody comes in', () => {
  const domain = domainOf();
  const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
  beforeAll(() => knownUser(person.email));

  it.each([
    ['a person whom nobody let in', { sub: 'stranger', email: `eve@${domain}`, email_verified: true }, 'not_let_in'],
    ['a person without an address', { sub: 'stranger' }, 'not_let_in'],
    ['an address that is not verified', { ...person, email_verified: false }, 'email_not_verified'],
    ['an address of which nothing is said', { ...person, email_verified: undefined }, 'email_not_verified'],
    ['a text in place of true', { ...person, email_verified: 'true' }, 'email_not_verified'],
    ['a letter that looks like another', { ...person, email: `аnn@${domain}` }, 'email_not_verified'],
    [
      'a letter that becomes another in lower case',
      { ...person, email: `ann@${domain}`.replace('e', 'ℯ') },
      'email_not_verified',
    ],
    ['two addresses in one text', { ...person, email: `eve@evil.example,ann@${domain}` }, 'email_not_verified'],
    ['a quoted address', { ...person, email: `"ann"@${domain}` }, 'email_not_verified'],
    ['an address with white space', { ...person, email: `ann@${domain} ` }, 'email_not_verified'],
  ])('nobody comes in with %s', async (_, claims, problem) => {
    const { location, answer, session } = await enter(claims, '/acme');
    expect(problemOf(location)).toEqual(refusedWith(problem));
    expect(new URL(location ?? '', 'https://api.example').searchParams.get('next')).toBe('/acme');
    expect([answer.cookies.length, session]).toEqual([1, expect.stringContaining('__Host-sign-in=;')]);
  });

  it('and the audit log of an organization that the person only names says nothing', async () => {
    const acme = await newOrganization(api);
    await acme.grant({ domain: [domainOf()], group: [domainOf()] });
    const stranger = { sub: 'stranger', email: `eve@${domain}`, email_verified: true, groups: ['others'] };
    for (const next of [`/${acme.org}`, `/${acme.org}/flows`, '/-/account']) await enter(stranger, next);
    await enter({ sub: 'second' }, `/${acme.org}/flows`);
    await enter({ ...person, email_verified: false }, `/${acme.org}`);
    expect(await acme.audit('kind=sign_in')).toEqual([]);
  });

  it('and the audit log of an organization with a grant for the person says so, once an hour, without the person', async () => {
    const acme = await newOrganization(api);
    const [own, group] = [domainOf(), `group of ${acme.org}`];
    await acme.grant({ domain: [own], group: [group] });
    for (const sub of ['eve', 'dan'])
      await enter({ sub, email: `${sub}@${own}`, email_verified: true }, `/${acme.org}`);
    await enter({ sub: 'kim', email: `kim@${own}`, email_verified: false, groups: [group] }, `/${acme.org}/flows`);
    const entries = await acme.audit('kind=sign_in');
    expect(entries.map(({ actor, subject, after }) => [actor.kind, subject, after])).toEqual([
      ['unknown', { type: 'person', id: null, name: group }, { reason: 'email_not_verified', group }],
      ['unknown', { type: 'person', id: null, name: own }, { reason: 'not_let_in', domain: own }],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/eve|dan|kim/);
  });

  it('and the audit log of an organization names its member whose address somebody else came with', async () => {
    const acme = await newOrganization(api);
    const email = `ann@${domainOf()}`;
    const user = await knownUser(email);
    await acme.enroll(user, 'reader');
    await enter({ sub: 'first owner', email, email_verified: true });
    await enter({ sub: 'next owner', email, email_verified: true }, `/${acme.org}`);
    const [entry] = await acme.audit('kind=sign_in.refused');
    expect(entry).toMatchObject({ subject: { type: 'user', name: user }, after: { reason: 'other_person' } });
    expect(JSON.stringify(entry)).not.toContain('next owner');
  });

  it.each([
    ['of another audience', { aud: 'another client' }, 'aud'],
    ['of several audiences, which names none', { aud: [provider.clientId, 'another client'] }, 'azp'],
    ['that another client asked for', { azp: 'another client' }, 'azp'],
    ['of another sign-in', { nonce: 'x'.repeat(43) }, 'nonce'],
    ['without a nonce', { nonce: undefined }, 'nonce'],
    ['of another issuer', { iss: 'https://evil.example' }, 'claims'],
    ['that expired', { exp: 1_700_000_000 }, 'expired'],
    ['without a subject', { sub: '' }, 'claims'],
  ])('nobody comes in with a token %s', async (_, wrong, reason) => {
    provider.wrong = wrong;
    const { location } = await enter(person);
    provider.wrong = {};
    expect(problemOf(location)).toEqual(refusedWith('token_refused', reason));
  });

  it('nobody comes in with a token that another key signed', async () => {
    const own = provider.key;
    provider.key = await issuerKey('provider');
    const { location } = await enter(person);
    provider.key = own;
    expect(problemOf(location)).toEqual(refusedWith('token_refused', 'signature'));
  });

  it('nobody comes in with an answer that does not belong to a sign-in of the same browser', async () => {
    provider.person = person;
    const [one, other] = [await begin(), await begin()];
    const changed = (name: string, value: string | undefined) => {
      const query = new URLSearchParams(one.query);
      if (value === undefined) query.delete(name);
      else query.set(name, value);
      return query;
    };
    const answers: [URLSearchParams, string[], string[]][] = [
      [one.query, [], refusedWith('expired') as string[]],
      [one.query, [other.sent], refusedWith('expired', 'state') as string[]],
      [one.query, [one.sent, other.sent], refusedWith('expired') as string[]],
      [one.query, ['__Host-sign-in=x'], refusedWith('expired') as string[]],
      [changed('state', undefined), [one.sent], refusedWith('expired', 'state') as string[]],
      [changed('iss', 'https://evil.example'), [one.sent], refusedWith('token_refused', 'iss') as string[]],
      [changed('code', undefined), [one.sent], refusedWith('provider_failed', 'no_code') as string[]],
      [changed('code', 'guessed'), [one.sent], refusedWith('provider_failed', 'invalid_grant') as string[]],
      [changed('error', 'access_denied'), [one.sent], refusedWith('refused_by_provider', 'access_denied') as string[]],
      [changed('error', '<b>x</b>'), [one.sent], refusedWith('refused_by_provider') as string[]],
      // A code of another sign-in: its challenge belongs to another verifier.
      [
        changed('code', other.query.get('code') ?? ''),
        [one.sent],
        refusedWith('provider_failed', 'invalid_grant') as string[],
      ],
    ];
    for (const [query, cookies, expected] of answers) {
      const answer = await callback(query, cookies);
      expect(problemOf(answer.headers['location']), query.toString()).toEqual(expected);
      expect(answer.cookies.join()).not.toContain('session');
    }
    expect((await callback(one.query, [one.sent])).headers['location']).toBe('/');
    expect(problemOf((await callback(one.query, [one.sent])).headers['location'])).toEqual(
      refusedWith('provider_failed', 'invalid_grant'),
    );
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/api/v2/user',
    '/-/sign-in/callback',
  ])('nobody comes in at another site or endpoint: %s', async (next) => {
    const { location } = await enter(person, next);
    expect(location).toBe('/');
    const { sent, query } = await begin();
    const forged = `${sent.split('.')[0]}.${Buffer.from(next).toString('base64url')}`;
    expect((await callback(query, [forged])).headers['location']).toBe('/');
  });
});
