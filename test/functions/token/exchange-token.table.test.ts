import { afterAll, describe, expect, it } from 'vitest';
import { hashKey } from '#shared/callers/credentials.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { apiKeyKey } from '#shared/organizations/records/keys.ts';
import { accountWrites, readAccount } from '#shared/organizations/records/service-accounts.ts';
import { DESCRIPTION, exchangeApi, keyOf, trustingOrganization } from '#test/functions/service-accounts/trusts-api.ts';
import { BAD_KEY, refusal, refused, SECRET } from '#test/support/admin.ts';
import { GITHUB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { KEY_SET, startIssuer } from '#test/support/identity/issuer.ts';

const { api, now, issuer, aToken, trusting } = await exchangeApi();
const acme = await trustingOrganization(api);
afterAll(() => issuer.stop());

describe('POST /token/{org}', () => {
  it('answers a key of the service account that works until its time is over', async () => {
    const acme = await trusting({ minutes: 2 });
    const answer = await acme.exchange(await aToken());
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        access_token: expect.stringMatching(SECRET),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 120,
      },
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    const key = keyOf(answer);
    expect(await acme.tryKey(key)).toMatchObject([200, [{ name: 'ci' }]]);
    api.services.clock.advance(119_000_000);
    expect(await acme.tryKey(key)).toMatchObject([200, {}]);
    api.services.clock.advance(1_000_000);
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    const stored = await api.services.table.get(apiKeyKey(hashKey(key)));
    expect(stored?.['ttl']).toBe(Math.ceil(Number(stored?.['expiresAt']) / 1e6) + 3600);
  });

  it('takes JSON, other parameters of the standard, and the name of a trust', async () => {
    const acme = await trusting();
    const answer = await acme.exchangeJson({
      subject_token: await aToken(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'any',
      trust: 'ci',
    });
    expect(answer.status).toBe(200);
  });

  it('refuses a request that is none of the standard, with the errors of OAuth and of the service', async () => {
    const send = async (more: Record<string, string>) => (await acme.exchange('x', more)).json;
    expect(await send({ grant_type: 'password' })).toEqual({
      error: 'unsupported_grant_type',
      error_description: 'Input payload validation failed',
      message: 'Input payload validation failed',
      errors: { grant_type: expect.stringContaining('token-exchange') },
    });
    const twice = await api.call('POST', `/token/${acme.org}`, {
      text: 'grant_type=a&grant_type=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    expect(twice.json).toMatchObject({
      errors: { grant_type: 'The field occurs more than once', subject_token: 'Field required [input: None]' },
    });
    expect(await send({ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' })).toMatchObject({
      error: 'invalid_request',
      errors: { subject_token_type: expect.any(String) },
    });
  });

  it('gives evidence of the caller to endpoints, and notes the first use', async () => {
    const acme = await trusting({ preset: 'github', claims: { repository: 'acme/web' } });
    await acme.exchange(await aToken(GITHUB_CLAIMS));
    const key = keyOf(await acme.exchange(await aToken(GITHUB_CLAIMS)));
    expect((await acme.call('GET', '/user', { key })).json).toMatchObject({
      name: 'ci',
      credential: { identity: { trust: 'ci', repository: 'acme/web', run_id: '7412583654', actor: 'octocat' } },
    });
    expect((await acme.getTrust('ci')).json).toMatchObject({ first_used_at: expect.closeTo(now(), -1) });
    const entries = await acme.audit('kind=trust.first_used');
    expect(entries).toMatchObject([
      { actor: { kind: 'service-account', name: 'ci' }, after: { repository: 'acme/web', event: 'push' } },
    ]);
  });

  it('gives no key of an admin account, also if the account became admin after the trust was saved', async () => {
    const acme = await trusting();
    expect(refusal(await acme.patch('ci', { privilege: 'admin' }))).toEqual(
      refused({
        privilege:
          "Pipelines act as this service account by the trust 'ci', and may not act as an admin. Delete the trust first [input: admin]",
      }),
    );
    const { table } = api.services;
    const org = await new Directory(table).organization(acme.org);
    const account = org && (await readAccount(table, org.id, 'ci'));
    if (!account) throw new Error('There is no account');
    const key = keyOf(await acme.exchange(await aToken()));
    const admin = { ...account, privilege: 'admin', rev: account.rev + 1 } as const;
    await table.transact(accountWrites(org.id, { before: account, after: admin }).writes);
    const message =
      'The service account of the trust is admin, and pipelines may not act as an admin. An administrator gives the account a lower privilege, or saves the trust with another service account';
    expect(refusal(await acme.exchange(await aToken()))).toEqual([
      400,
      { message, error: 'invalid_request', error_description: message },
    ]);
    expect((await acme.getTrust('ci')).json).toMatchObject({
      warnings: [expect.stringContaining('The service account is admin, so no token is accepted.')],
    });
    expect(await acme.audit('kind=token.refused')).toMatchObject([{ after: { reason: 'admin' } }]);
    // A key from before keeps the role of its account until it ends, and manages no access.
    expect((await acme.tryKey(key))[0]).toBe(200);
    expect((await acme.patch('ci', { description: 'x' }, { key })).status).toBe(403);
    await acme.deleteTrust('ci');
    await acme.create({ name: 'plain', privilege: 'member' });
    expect((await acme.patch('plain', { privilege: 'admin' })).status).toBe(200);
  });

  it('makes two requests to the issuer for 100 exchanges at once with a cold key set', async () => {
    await using cold = await startIssuer();
    const acme = await trusting({ issuer: cold.url });
    const tokens = await Promise.all(Array.from({ length: 100 }, () => aToken({}, cold)));
    const answers = await Promise.all(tokens.map((token) => acme.exchange(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(new Set(answers.map(keyOf)).size).toBe(100);
    expect(cold.requests).toEqual([DESCRIPTION, KEY_SET]);
    expect(await acme.audit('kind=trust.first_used')).toHaveLength(1);
  });

  it('exchanges a token once, also if it comes several times at once or with another signature', async () => {
    const acme = await trusting();
    const token = await aToken();
    const answers = await Promise.all(Array.from({ length: 5 }, () => acme.exchange(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    const other = await trusting();
    expect(refusal(await other.exchange(otherSignature(token)))).toMatchObject([400, { message: /exchanged before/ }]);
  });
});

/** Returns the second valid signature of ES256, which everybody can compute: `s` becomes `n - s`. */
function otherSignature(token: string): string {
  const [header, claims, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const changed = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return [header, claims, changed.toString('base64url')].join('.');
}

describe('a key ends', () => {
  const withKey = async (fields: object = {}) => {
    const acme = await trusting(fields);
    const key = keyOf(await acme.exchange(await aToken()));
    expect((await acme.tryKey(key))[0]).toBe(200);
    return { acme, key };
  };

  it('a key ends with its trust, and does not come back with a trust of the same name', async () => {
    const { acme, key } = await withKey();
    expect((await acme.deleteTrust('ci')).status).toBe(200);
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    await acme.putTrust('ci', { issuer: issuer.url });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
  });

  it('when the trust accepts other tokens, and not when the trust has another description', async () => {
    const { acme, key } = await withKey();
    await acme.putTrust('ci', { issuer: issuer.url, minutes: 5, description: 'x' });
    expect((await acme.tryKey(key))[0]).toBe(200);
    await acme.putTrust('ci', { issuer: issuer.url, claims: { sub: ['someone', 'other'] } });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
  });

  it('a key ends with its service account, also where no organization is asked for', async () => {
    const { acme, key } = await withKey();
    await acme.remove('ci');
    expect(refusal(await acme.call('GET', '/user', { key }))).toEqual(BAD_KEY);
    await acme.create({ name: 'ci', privilege: 'member' });
    expect(await acme.tryKey(key)).toEqual(BAD_KEY);
    expect(refusal(await acme.exchange(await aToken()))).toMatchObject([400, { message: /does not exist any more/ }]);
  });

  it('a key ends with the session that was started with it', async () => {
    const { acme, key } = await withKey();
    const [cookie = ''] = (await acme.call('POST', '/user/session', { key })).cookies;
    const withSession = () =>
      api.call('GET', '/user', {
        cookies: [cookie.split(';')[0] ?? ''],
        headers: { 'sec-fetch-site': 'same-origin' },
      });
    expect((await withSession()).json).toMatchObject({ credential: { kind: 'session', identity: { trust: 'ci' } } });
    await acme.deleteTrust('ci');
    expect((await withSession()).status).toBe(401);
  });
});
