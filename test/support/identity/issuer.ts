import { createServer, type ServerResponse } from 'node:http';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { close, listen, portOf } from '#infra/local/ports.ts';

export const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** A key with which a test signs tokens. */
export interface IssuerKey {
  jwk: JWK;
  privateKey: CryptoKey;
}

/** @param kid name of the key in the key set */
export async function issuerKey(kid: string, alg = 'ES256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Signs claims as they are. @param header fields in addition to `alg` and `kid` of the key */
export const signToken = (
  { privateKey, jwk }: IssuerKey,
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: String(jwk.alg), kid: String(jwk.kid), ...header }).sign(privateKey);

/** An issuer of tokens on this machine: its description, its key set and its signature. */
export interface TestIssuer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, the issuer of its tokens. */
  url: string;
  key: IssuerKey;
  /** The keys of the key set. */
  keys: JWK[];
  /** Paths of the requests so far. */
  requests: string[];
  /** Answers by path, instead of the right ones. */
  answers: Map<string, (response: ServerResponse) => void>;
  /** Signs a token that lives five minutes, with the key that the key set has. Claims of the argument replace others. */
  token(claims?: JWTPayload, now?: number): Promise<string>;
  stop(): Promise<void>;
}

const DESCRIPTION = '/.well-known/openid-configuration';
export const KEY_SET = '/keys';
let tokens = 0;

export async function startIssuer(key?: IssuerKey): Promise<TestIssuer> {
  const own = key ?? (await issuerKey('first'));
  const requests: string[] = [];
  const answers: TestIssuer['answers'] = new Map();
  const json = (body: unknown) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const usual: Record<string, (response: ServerResponse) => void> = {
      [DESCRIPTION]: json({ issuer: issuer.url, jwks_uri: `${issuer.url}${KEY_SET}` }),
      [KEY_SET]: json({ keys: issuer.keys }),
    };
    const answer = answers.get(path) ?? usual[path] ?? ((missing: ServerResponse) => missing.writeHead(404).end());
    answer(response);
  });
  await listen(server, 0, '127.0.0.1');
  const stop = () => {
    server.closeAllConnections();
    return close(server);
  };
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${portOf(server)}`,
    key: own,
    keys: [own.jwk],
    requests,
    answers,
    token: (claims = {}, now = Date.now() / 1000) => {
      tokens += 1;
      const iat = Math.floor(now);
      const times = { iat, nbf: iat, exp: iat + 300 };
      return signToken(own, { iss: issuer.url, sub: 'someone', jti: `token-${tokens}`, ...times, ...claims });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return issuer;
}
