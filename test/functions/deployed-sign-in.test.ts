import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deployedSignIn } from '#functions/deployed-sign-in.ts';
import { close, listen, portOf } from '#infra/local/ports.ts';
import { loadEnvironment } from '#shared/base/env.ts';
import { micros } from '#shared/base/time.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { exchangeCode } from '#shared/outgoing/exchange-code.ts';
import { IssuerKeys } from '#shared/outgoing/issuer-keys.ts';
import { LOOPBACK } from '#test/support/identity/issuer.ts';
import { startProvider } from '#test/support/sign-in-provider.ts';

const TABLE = {
  PUBLIC_URL: 'https://api.example',
  TABLE_NAME: 't',
  BUCKET_NAME: 'b',
};
const PROVIDER = { SIGN_IN_ISSUER: 'https://login.example', SIGN_IN_CLIENT_ID: 'me' };

/** Answers as the platform's store of parameters does. */
const asked: unknown[] = [];
const store = createServer(async (request, response) => {
  asked.push([request.headers['x-amz-target'], JSON.parse(await text(request))]);
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify({ Parameter: { Name: '/secret', Value: 'hidden' } }));
});
beforeAll(async () => {
  await listen(store, 0, '127.0.0.1');
  const settings = {
    AWS_ENDPOINT_URL_SSM: `http://127.0.0.1:${portOf(store)}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  store.closeAllConnections();
  await close(store);
});

it('a function without settings has no identity provider, and one without a secret is a client without one', async () => {
  expect(deployedSignIn(loadEnvironment(TABLE))).toBeUndefined();
  const provider = deployedSignIn(loadEnvironment({ ...TABLE, ...PROVIDER, SIGN_IN_RULES: '' }));
  expect(provider).toMatchObject({ issuer: 'https://login.example', scopes: 'openid email', rules: [] });
  expect(await provider?.secret()).toBeUndefined();
});

it('the secret is read decrypted, and once for sign-ins after each other', async () => {
  const provider = deployedSignIn(loadEnvironment({ ...TABLE, ...PROVIDER, SIGN_IN_SECRET_NAME: '/secret' }));
  expect([await provider?.secret(), await provider?.secret()]).toEqual(['hidden', 'hidden']);
  expect(asked).toEqual([['AmazonSSM.GetParameter', { Name: '/secret', WithDecryption: true }]]);
});

it('a provider that wants the secret in the form gets it there, and a wrong one is refused with the code of the provider', async () => {
  await using provider = await startProvider({ secret: 'a:b', secretIn: 'client_secret_post' });
  const guard = addressGuard(LOOPBACK);
  const description = await new IssuerKeys(guard).describe(provider.url, micros(0));
  const exchange = { clientId: provider.clientId, code: 'unknown', redirectUri: 'https://x.example', verifier: 'v' };
  const reasonFor = (secret: string | undefined) =>
    exchangeCode(description, { ...exchange, secret }, guard).catch(({ reason }) => reason);
  expect([await reasonFor('a:b'), await reasonFor('wrong'), await reasonFor(undefined)]).toEqual([
    'invalid_grant',
    'invalid_client',
    'invalid_client',
  ]);
  const nowhere = { ...description, token_endpoint: 'http://127.0.0.1:9/token' };
  expect(await exchangeCode(nowhere, exchange, guard).catch(({ reason }) => reason)).toBe('no_answer');
  expect(await exchangeCode(nowhere, exchange, addressGuard()).catch(({ reason }) => reason)).toBe('address_refused');
});
