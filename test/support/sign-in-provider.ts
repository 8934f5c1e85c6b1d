import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JWK, JWTPayload } from 'jose';
import { close, listen, portOf } from '#infra/local/ports.ts';
import { type IssuerKey, issuerKey, signToken } from './identity/issuer.ts';

/** An identity provider on this machine: OpenID Connect with codes and PKCE. It refuses everything that the standard refuses. */
export interface TestProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, the issuer of its tokens. */
  url: string;
  clientId: string;
  /** The claims of the person who sits before the browser. */
  person: JWTPayload;
  /** Claims that the next tokens have instead of the right ones. */
  wrong: JWTPayload;
  key: IssuerKey;
  /** The keys of the key set. */
  keys: JWK[];
  /** Answers the next authorization with this error instead of a code. */
  refusal: string | undefined;
  stop(): Promise<void>;
}

interface Options {
  /** @default a client without a secret */
  secret?: string;
  /** Way in which the client shows its secret. */
  secretIn?: 'client_secret_basic' | 'client_secret_post';
  /** Seconds since the epoch. */
  now?: () => number;
}

interface Grant {
  redirectUri: string;
  challenge: string;
  claims: JWTPayload;
}

const CLIENT_ID = 'evidence console';
const LIFE_SECONDS = 300;

export async function startProvider(options: Options = {}): Promise<TestProvider> {
  const { secret, secretIn = 'client_secret_basic', now = () => Date.now() / 1000 } = options;
  const key = await issuerKey('provider');
  const grants = new Map<string, Grant>();
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const authorize = ({ searchParams: asked }: URL, response: ServerResponse) => {
    const redirectUri = asked.get('redirect_uri') ?? '';
    const state = asked.get('state') ?? '';
    const isRight =
      asked.get('response_type') === 'code' &&
      asked.get('client_id') === CLIENT_ID &&
      asked.get('code_challenge_method') === 'S256' &&
      asked.get('scope')?.split(' ').includes('openid') &&
      redirectUri.endsWith('/api/v2/user/sign-in/callback') &&
      state !== '';
    if (!isRight) return json(response, 400, { error: 'invalid_request' });
    const code = randomBytes(16).toString('hex');
    const iat = Math.floor(now());
    const claims = { iss: provider.url, aud: CLIENT_ID, nonce: asked.get('nonce'), iat, exp: iat + LIFE_SECONDS };
    grants.set(code, {
      redirectUri,
      challenge: asked.get('code_challenge') ?? '',
      claims: { ...claims, ...provider.person, ...provider.wrong },
    });
    const back = new URL(redirectUri);
    const answer: Record<string, string> =
      provider.refusal === undefined ? { code, session_state: 'x' } : { error: provider.refusal };
    for (const [name, value] of Object.entries({ ...answer, state, iss: provider.url })) {
      back.searchParams.set(name, value);
    }
    return response.writeHead(302, { location: back.href }).end();
  };

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    if (!isClient(request, form)) return json(response, 401, { error: 'invalid_client' });
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' });
    }
    return json(response, 200, { token_type: 'Bearer', id_token: await signToken(provider.key, grant.claims) });
  };

  const isClient = ({ headers }: IncomingMessage, form: URLSearchParams): boolean => {
    if (secret === undefined) return form.get('client_id') === CLIENT_ID;
    if (secretIn === 'client_secret_post') return form.get('client_secret') === secret;
    const encoded = (value: string) => new URLSearchParams({ '': value }).toString().slice(1);
    const pair = Buffer.from(`${encoded(CLIENT_ID)}:${encoded(secret)}`).toString('base64');
    return headers.authorization === `Basic ${pair}` && !form.has('client_secret');
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', provider.url);
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return token(request, response);
    if (url.pathname === '/keys') return json(response, 200, { keys: provider.keys });
    if (url.pathname !== '/.well-known/openid-configuration') return json(response, 404, {});
    return json(response, 200, {
      issuer: provider.url,
      authorization_endpoint: `${provider.url}/authorize`,
      token_endpoint: `${provider.url}/token`,
      jwks_uri: `${provider.url}/keys`,
      ...(secretIn === 'client_secret_post' && { token_endpoint_auth_methods_supported: [secretIn] }),
    });
  });
  await listen(server, 0, '127.0.0.1');
  const stop = () => {
    server.closeAllConnections();
    return close(server);
  };
  const provider: TestProvider = {
    url: `http://127.0.0.1:${portOf(server)}`,
    clientId: CLIENT_ID,
    person: { sub: 'nobody' },
    wrong: {},
    key,
    keys: [key.jwk],
    refusal: undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return provider;
}
