import { createHmac } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpGroup } from '#functions/mcp/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { signInGroup } from '#functions/sign-in/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { accessTokensOf } from '#shared/organizations/sign-in/access-tokens.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { domainOf, signInApi } from '#test/functions/user/sign-in-api.ts';
import { newOrganization, refusal } from '#test/support/admin.ts';
import { call } from '#test/support/gateway.ts';
import { issuerKey, signToken } from '#test/support/identity/issuer.ts';
import { callTool, send } from './agents-api.ts';

const { api, provider, enter, knownUser } = await signInApi([mcpGroup, signInGroup, userGroup, organizationsGroup]);
afterAll(() => provider.stop());

const DOOR = 'https://api.example/api/v2/mcp';
const METADATA = 'https://api.example/.well-known/oauth-protected-resource/api/v2/mcp';
const NO_ACCESS = "You don't have permission to access this resource";
const SECOND = 1_000_000;

/** The handler of the tests below logs nothing. */
const quiet = { log: () => undefined };
const metadata = (services: typeof api.services) =>
  call(groupHandler(mcpGroup, services, quiet), { path: new URL(METADATA).pathname });

/** A claim set of the provider for the door. Claims of the argument replace others. */
const claimsOf = (claims: JWTPayload): JWTPayload => {
  const iat = Math.floor(api.services.clock.now() / SECOND);
  return { iss: provider.url, aud: DOOR, iat, exp: iat + 300, ...claims };
};
const tokenOf = (claims: JWTPayload, key = provider.key) => signToken(key, claimsOf(claims));

/** The answer to an agent that sends a token: status, and sentence or result. */
async function answerTo(token: string) {
  const { status, json } = await send(api, 'ping', undefined, { key: token });
  return [status, json.message ?? json.result];
}

/** A person whom the operator knows, and who signed in once with a browser. */
async function signedIn() {
  const domain = domainOf();
  const user = await knownUser(`ann@${domain}`);
  const person = { sub: `sub-${domain}`, email: `ann@${domain}`, email_verified: true };
  await enter(person);
  return { user, domain, sub: person.sub };
}

describe('the metadata of the door', () => {
  it('is where the refusal of a request without a credential says, and names the provider', async () => {
    const answer = await api.call('POST', '/mcp', { json: {} });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="api", resource_metadata="${METADATA}"`,
    ]);
    expect(refusal(await metadata(api.services))).toEqual([
      200,
      {
        resource: DOOR,
        authorization_servers: [provider.url],
        scopes_supported: ['openid', 'email'],
        bearer_methods_supported: ['header'],
        resource_name: 'Delivery evidence',
      },
    ]);
  });

  it('names a refused credential as such', async () => {
    const { headers } = await api.call('POST', '/mcp', { json: {}, key: 'dek_unknown' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="api", resource_metadata="${METADATA}", error="invalid_token"`,
    );
  });

  it('is not there without a provider, and then a token is an unknown key', async () => {
    const without = { ...api.services, accessTokens: undefined };
    expect(refusal(await metadata(without))).toEqual([
      404,
      { message: 'This service has no identity provider. Send an API key as a bearer token' },
    ]);
    const key = await tokenOf({ sub: 'somebody' });
    const answer = await call(groupHandler(mcpGroup, without, quiet), { method: 'POST', path: '/api/v2/mcp', key });
    expect([answer.status, answer.json, answer.headers['www-authenticate']]).toEqual([
      401,
      { message: 'Invalid or expired API key' },
      'Bearer realm="api", Basic realm="api"',
    ]);
  });
});

describe('an access token', () => {
  let person: Awaited<ReturnType<typeof signedIn>>;
  beforeAll(async () => {
    person = await signedIn();
  });

  it('has the rights that the person has at each call', async () => {
    const acme = await newOrganization(api);
    const { user, sub } = person;
    const key = await tokenOf({ sub, aud: ['https://other.example', DOOR] });
    const ask = async (org?: string) => (await callTool(api, key, 'what_runs', { org, environment: 'x' })).content[0];
    expect((await ask(acme.org))?.text).toBe(NO_ACCESS);
    await acme.enroll(user, 'reader');
    expect((await ask(acme.org))?.text).toContain("Environment named 'x' does not exist");
    expect((await ask())?.text).toContain("Environment named 'x' does not exist");
    const trial = await callTool(api, key, 'dry_run_policy', {
      org: acme.org,
      environment: 'x',
      name: 'p',
      policy: 'x',
    });
    expect(trial.content[0]?.text).toBe(NO_ACCESS);
    await acme.dismiss(user);
    expect((await ask(acme.org))?.text).toBe(NO_ACCESS);
  });

  it('lets a person in by a sign-in rule for a group that the token names, once the person joined', async () => {
    const acme = await newOrganization(api);
    const group = `group of ${acme.org}`;
    await acme.grant({ group: [group] });
    await acme.call('PUT', '/organizations/ORG/sign-in-rules', { json: { rules: [{ group, role: 'reader' }] } });
    const browser = await enter({ sub: person.sub, groups: [group] });
    const ask = async (claims: JWTPayload) => {
      const key = await tokenOf({ sub: person.sub, ...claims });
      return (await callTool(api, key, 'what_runs', { org: acme.org, environment: 'x' })).content[0]?.text;
    };
    expect(await ask({ groups: [group] })).toBe(NO_ACCESS);
    await browser.call('PUT', `/organizations/${acme.org}/membership`);
    api.services.clock.advance(30 * SECOND);
    expect(await ask({ groups: [group] })).toContain("Environment named 'x' does not exist");
    expect(await ask({})).toBe(NO_ACCESS);
  });

  it('that names somebody who never signed in is refused, also with the address of a user', async () => {
    const domain = domainOf();
    await knownUser(`ann@${domain}`);
    const stranger = { sub: 'stranger', email: `ann@${domain}`, email_verified: true };
    expect(await answerTo(await tokenOf(stranger))).toEqual([
      403,
      'Nobody has signed in to this service with the account of this access token. Sign in once in a browser, at https://api.example/-/sign-in',
    ]);
  });

  it('ends for the person when the operator says that the user is known by nothing', async () => {
    const { user, sub } = await signedIn();
    const key = await tokenOf({ sub });
    expect(await answerTo(key)).toEqual([200, {}]);
    await runOperator(api.services, { command: 'identify-user', user });
    api.services.clock.advance(30 * SECOND);
    expect((await answerTo(key))[0]).toBe(403);
  });

  const now = () => Math.floor(api.services.clock.now() / SECOND);
  it.each<[string, (sub: string) => Promise<string> | string, string]>([
    ['another issuer', (sub) => tokenOf({ sub, iss: 'https://evil.example' }), 'Its issuer is not http://127.0.0.1'],
    ['another audience', (sub) => tokenOf({ sub, aud: 'https://other.example' }), `Its audience is not ${DOOR}`],
    ['an ID token', (sub) => tokenOf({ sub, aud: provider.clientId }), `Its audience is not ${DOOR}`],
    ['another path of the service', (sub) => tokenOf({ sub, aud: 'https://api.example' }), 'Its audience is not'],
    ['no audience', (sub) => tokenOf({ sub, aud: undefined as never }), 'Its audience is not'],
    ['its end in the past', (sub) => tokenOf({ sub, iat: now() - 400, exp: now() - 31 }), 'The token has expired'],
    ['its beginning in the future', (sub) => tokenOf({ sub, nbf: now() + 60 }), 'The token is not valid yet'],
    ['a life of more than a day', (sub) => tokenOf({ sub, exp: now() + 86_500 }), 'lives longer than 24 hours'],
    ['no end', (sub) => tokenOf({ sub, exp: undefined as never }), "The claim 'exp'"],
    ['no subject', () => tokenOf({}), "The claim 'sub'"],
    ['a key that the provider does not have', async (sub) => tokenOf({ sub }, await issuerKey('other')), 'kid'],
    ['another key of the same name', async (sub) => tokenOf({ sub }, await issuerKey('provider')), 'The signature'],
    ['an HMAC with the public key', (sub) => unsigned({ sub }, 'HS256'), 'The token should be signed with one of'],
    ['no signature', (sub) => unsigned({ sub }, 'none'), 'The token should be signed with one of'],
    ['another text of three parts', () => 'a.b.c', 'The token is no signed JSON Web Token of three parts'],
  ])('that has %s is refused', async (_, make, sentence) => {
    const [status, message] = await answerTo(await make(person.sub));
    expect([status, message]).toEqual([401, expect.stringContaining(sentence)]);
    expect(message).toMatch(/^The access token is refused\. [A-Z]/);
  });

  it('that was changed is refused', async () => {
    const [head, , signature] = (await tokenOf({ sub: 'stranger' })).split('.');
    const body = Buffer.from(JSON.stringify(claimsOf({ sub: person.sub }))).toString('base64url');
    expect(await answerTo(`${head}.${body}.${signature}`)).toEqual([401, expect.stringContaining('The signature')]);
  });

  it('is an unknown key everywhere but at the door', async () => {
    const answer = await api.call('GET', '/user', {
      key: await tokenOf({ sub: person.sub, aud: 'https://api.example' }),
    });
    expect(refusal(answer)).toEqual([401, { message: 'Invalid or expired API key' }]);
  });

  it('that has a new key of the provider is accepted after 30 seconds, and not one of the key that was replaced', async () => {
    const own = provider.key;
    const old = await tokenOf({ sub: person.sub });
    expect((await answerTo(old))[0]).toBe(200);
    provider.key = await issuerKey('second');
    provider.keys = [provider.key.jwk];
    api.services.clock.advance(30 * SECOND);
    expect(await answerTo(await tokenOf({ sub: person.sub }))).toEqual([200, {}]);
    expect((await answerTo(old))[0]).toBe(401);
    [provider.key, provider.keys] = [own, [own.jwk]];
    api.services.clock.advance(30 * SECOND);
  });

  it('is no fault of its owner while the keys of the provider cannot be read', async () => {
    const accessTokens = accessTokensOf(
      { issuer: provider.url, scopes: 'openid', groupsClaim: 'groups', rules: [] },
      { guard: addressGuard(), clock: api.services.clock },
    );
    const closed = groupHandler(mcpGroup, { ...api.services, accessTokens }, quiet);
    const answer = await call(closed, { method: 'POST', path: '/api/v2/mcp', key: await tokenOf({ sub: person.sub }) });
    expect([answer.status, answer.json, answer.headers['retry-after']]).toEqual([
      503,
      { message: 'Service unavailable' },
      '1',
    ]);
  });
});

/** A token without a signature of the provider: one with a shared secret, or none. */
function unsigned(claims: JWTPayload, alg: 'HS256' | 'none'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, kid: 'provider' })}.${part(claimsOf(claims))}`;
  const secret = JSON.stringify(provider.key.jwk);
  return `${text}.${alg === 'none' ? '' : createHmac('sha256', secret).update(text).digest('base64url')}`;
}
