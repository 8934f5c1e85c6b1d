import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { asDouble } from '../../values/decimal.ts';
import { canonicalJson } from '../../values/text.ts';
import { isArray, isNumber, RegoObject, type Value } from '../../values/value.ts';
import { BASE64URL } from '../encoding.ts';
import { type Args, objectAt, payForText, stringAt } from '../operands.ts';
import { type Builtin, type Row, theme } from '../registry.ts';
import {
  cryptographic,
  isTooSmall,
  json,
  jsonObject,
  signingKey,
  spendSignature,
  type TokenKey,
  tokenKeys,
} from './keys.ts';

/** How an algorithm of tokens signs, by its name. */
interface Algorithm {
  readonly kind: 'hmac' | 'rsa' | 'pss' | 'ecdsa' | 'eddsa';
  readonly hash: string | null;
}

const FAMILIES = { HS: 'hmac', RS: 'rsa', PS: 'pss', ES: 'ecdsa' } as const;
const KEY_TYPES = { rsa: 'rsa', pss: 'rsa', ecdsa: 'ec', eddsa: 'ed25519' } as const;

/** `none` is missing on purpose: a token without a signature proves nothing. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ...Object.entries(FAMILIES).flatMap(([family, kind]) =>
    [256, 384, 512].map((size): [string, Algorithm] => [`${family}${size}`, { kind, hash: `sha${size}` }]),
  ),
  ['EdDSA', { kind: 'eddsa', hash: null }],
]);

/** JSON Web Tokens: read, verified and signed without network. Times are compared with the instant of the evaluation. */
export const TOKENS: readonly Builtin[] = theme('tokens', [
  ['io.jwt.decode', ['string'], 'array', decode],
  ...[...ALGORITHMS].map(
    ([name, algorithm]): Row => [
      `io.jwt.verify_${name.toLowerCase()}`,
      ['string', 'string'],
      'boolean',
      (args, run) => verifyWith(stringAt(args, 0), stringAt(args, 1), algorithm, run),
    ],
  ),
  ['io.jwt.decode_verify', ['string', 'object'], 'array', decodeAndVerify],
  ['io.jwt.encode_sign', ['object', 'object', 'object'], 'string', encodeAndSign],
  ['io.jwt.encode_sign_raw', ['string', 'string', 'string'], 'string', encodeAndSignTexts],
]);

/** A token in parts. `signed` is the text that the signature covers. */
interface Token {
  readonly signed: string;
  readonly header: RegoObject;
  readonly payload: string;
  readonly signature: Buffer;
}

function sections(token: string, run: Run): readonly [string, string, string] {
  run.budget.string(token.length);
  const parts = token.split('.', 6);
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    throw new BuiltinError(`encoded JWT must have 3 sections, found ${token.split('.').length}`);
  }
  return [header, payload, signature];
}

function parseToken(token: string, run: Run): Token {
  const [encoded, payload, signature] = sections(token, run);
  const header = jsonObject(base64url(encoded, 'header').toString('utf8'));
  if (header === null) throw new BuiltinError('JWT header is not a JSON object');
  if (header.has('enc')) throw new BuiltinError('JWT is encrypted (JWE), so it has no claims to read');
  return {
    signed: `${encoded}.${payload}`,
    header,
    payload: base64url(payload, 'payload').toString('utf8'),
    signature: base64url(signature, 'signature'),
  };
}

/** Parses a token whose header decides how it is verified. */
function parseSigned(token: string, run: Run): Token {
  const parsed = parseToken(token, run);
  for (const name of ['alg', 'kid', 'typ', 'cty']) {
    if (typeof (parsed.header.get(name) ?? '') !== 'string') throw new BuiltinError(`${name}: must be a string`);
  }
  return parsed;
}

function base64url(encoded: string, what: string): Buffer {
  if (!BASE64URL.test(encoded)) throw new BuiltinError(`JWT ${what} is not base64url`);
  return Buffer.from(encoded, 'base64url');
}

/** Reads a token. A payload that its header calls a token, also as a JSON string, is read in its place. */
function decode(args: Args, run: Run): Value {
  let token = parseToken(stringAt(args, 0), run);
  while (token.header.get('cty') === 'JWT') token = parseToken(token.payload.replace(/^"(.*)"$/, '$1'), run);
  return [token.header, claims(token.payload), token.signature.toString('hex')];
}

function claims(payload: string): Value {
  const parsed = jsonObject(payload);
  if (parsed === null) throw new BuiltinError('JWT payload is not a JSON object');
  return parsed;
}

function verifyWith(token: string, key: string, algorithm: Algorithm, run: Run): boolean {
  const parsed = parseSigned(token, run);
  if (algorithm.kind === 'hmac') return isMac(parsed.signed, key, parsed.signature, algorithm);
  return isSigned(parsed, tokenKeys(key, run), algorithm, run);
}

function isMac(signed: string, secret: string, signature: Buffer, { hash }: Algorithm): boolean {
  const mac = createHmac(hash ?? 'sha256', secret)
    .update(signed)
    .digest();
  return mac.length === signature.length && timingSafeEqual(mac, signature);
}

/** Whether one of the keys made the signature. A key with the id that the token names is the only one that is tried. */
function isSigned(
  { signed, header, signature }: Token,
  keys: readonly TokenKey[],
  algorithm: Algorithm,
  run: Run,
): boolean {
  const id = header.get('kid');
  const named = typeof id === 'string' ? keys.filter((one) => one.id === id) : [];
  const stated = header.get('alg');
  const tried =
    named.length > 0 ? named.slice(0, 1) : keys.filter((one) => one.algorithm === null || one.algorithm === stated);
  return tried.some(({ key }) => verifies(algorithm, signed, key, signature, run));
}

function verifies(algorithm: Algorithm, signed: string, key: KeyObject, signature: Buffer, run: Run): boolean {
  const { kind, hash } = algorithm;
  if (kind === 'hmac' || key.asymmetricKeyType !== KEY_TYPES[kind] || isTooSmall(key)) return false;
  spendSignature(run, key, false);
  return cryptographic('signature', () => verify(hash, Buffer.from(signed), { key, ...options(kind) }, signature));
}

function options(kind: Algorithm['kind']) {
  if (kind === 'pss') return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return kind === 'ecdsa' ? ({ dsaEncoding: 'ieee-p1363' } as const) : {};
}

/** What `io.jwt.decode_verify` demands of a token. */
interface Constraints {
  readonly keys: readonly TokenKey[] | null;
  readonly secret: string | null;
  readonly algorithm: string | null;
  readonly issuer: string | null;
  readonly audience: string | null;
  /** Nanoseconds since 1970. */
  readonly time: number;
}

const CONSTRAINTS = new Set(['cert', 'secret', 'alg', 'iss', 'aud', 'time']);

function constraintsAt(args: Args, run: Run): Constraints {
  const given = objectAt(args, 1);
  for (const [name] of given.pairs()) {
    if (typeof name !== 'string' || !CONSTRAINTS.has(name))
      throw new BuiltinError('unknown token validation constraint');
  }
  const text = (name: string): string | null => {
    const value = given.get(name);
    if (value !== undefined && typeof value !== 'string')
      throw new BuiltinError(`${name} constraint: must be a string`);
    return value === undefined || value === '' ? null : value;
  };
  const time = given.get('time') ?? Number(run.now);
  if (!isNumber(time)) throw new BuiltinError('time constraint: must be a number');
  const [certificate, secret] = [text('cert'), text('secret')];
  if ((certificate === null) === (secret === null)) {
    throw new BuiltinError(certificate === null ? 'no key constraint' : 'duplicate key constraints');
  }
  return {
    keys: certificate === null ? null : tokenKeys(certificate, run),
    secret,
    algorithm: text('alg'),
    issuer: text('iss'),
    audience: text('aud'),
    time: asDouble(time),
  };
}

function decodeAndVerify(args: Args, run: Run): Value {
  const constraints = constraintsAt(args, run);
  const refused: Value = [false, new RegoObject(), new RegoObject()];
  let token = parseSigned(stringAt(args, 0), run);
  for (;;) {
    if (!isAccepted(token, constraints, run)) return refused;
    if (String(token.header.get('cty') ?? '').toUpperCase() !== 'JWT') break;
    token = parseSigned(token.payload, run);
  }
  const payload = claims(token.payload);
  if (!(payload instanceof RegoObject) || !hasValidClaims(payload, constraints)) return refused;
  return [true, token.header, payload];
}

/** Whether a token has the wanted algorithm and a signature of a given key. A token of an unknown algorithm has none. */
function isAccepted(token: Token, { keys, secret, algorithm: wanted }: Constraints, run: Run): boolean {
  const name = token.header.get('alg');
  const algorithm = typeof name === 'string' ? ALGORITHMS.get(name) : undefined;
  if (algorithm === undefined || (wanted !== null && wanted !== name) || needsExtension(token.header)) return false;
  if (algorithm.kind === 'hmac') {
    return secret !== null && isMac(token.signed, secret, token.signature, algorithm);
  }
  return keys !== null && isSigned(token, keys, algorithm, run);
}

/** Whether a token says that its reader must understand an extension. No extension is known here. */
function needsExtension(header: RegoObject): boolean {
  const names = header.get('crit');
  if (names === undefined) return false;
  if (!isArray(names) || names.length === 0) throw new BuiltinError('crit: must be a nonempty list');
  return names.some((name) => name !== 'alg' && header.has(name));
}

function hasValidClaims(payload: RegoObject, { issuer, audience, time }: Constraints): boolean {
  if (issuer !== null && payload.get('iss') !== issuer) return false;
  const audiences = payload.get('aud');
  // A token for a certain audience is only for those who say that they are this audience.
  if (audiences === undefined ? audience !== null : !includes(audiences, audience)) return false;
  const [expires, starts] = [instant(payload, 'exp'), instant(payload, 'nbf')];
  return (expires === null || time < expires) && (starts === null || time >= starts);
}

function includes(audiences: Value, audience: string | null): boolean {
  return audience !== null && (isArray(audiences) ? audiences.includes(audience) : audiences === audience);
}

/** A claim in seconds, as nanoseconds. */
function instant(payload: RegoObject, name: string): number | null {
  const claim = payload.get(name);
  if (claim === undefined) return null;
  if (!isNumber(claim)) throw new BuiltinError(`${name} value must be a number`);
  return asDouble(claim) * 1e9;
}

function encodeAndSign(args: Args, run: Run): Value {
  const [headers, payload, key] = [objectAt(args, 0), objectAt(args, 1), objectAt(args, 2)];
  payForText(headers, run.budget);
  payForText(payload, run.budget);
  return signed({ headers, key }, canonicalJson(headers), canonicalJson(payload), run);
}

function encodeAndSignTexts(args: Args, run: Run): Value {
  const [headerText, payload, keyText] = [stringAt(args, 0), stringAt(args, 1), stringAt(args, 2)];
  run.budget.string(headerText.length + payload.length + keyText.length);
  const key = jsonObject(keyText);
  if (key === null) throw new BuiltinError('JWK is not a JSON object');
  const headers = jsonObject(headerText);
  if (headers === null) throw new BuiltinError('headers are not a JSON object');
  return signed({ headers, key }, headerText, payload, run);
}

function signed(
  { headers, key }: { readonly headers: RegoObject; readonly key: RegoObject },
  headerText: string,
  payload: string,
  run: Run,
): string {
  const name = headers.get('alg');
  if (typeof name !== 'string') throw new BuiltinError('missing or invalid alg header');
  const algorithm = ALGORITHMS.get(name);
  if (algorithm === undefined) throw new BuiltinError(`unknown JWS algorithm: ${name.slice(0, 50)}`);
  const type = headers.get('typ') ?? 'JWT';
  if ((type === 'JWT' || type === '') && json(payload) === undefined) {
    throw new BuiltinError('type is JWT but payload is not JSON');
  }
  run.budget.string(Math.ceil((Buffer.byteLength(headerText) + Buffer.byteLength(payload)) * (4 / 3)));
  const text = [headerText, payload].map((part) => Buffer.from(part, 'utf8').toString('base64url')).join('.');
  return `${text}.${signature(text, signingKey(key, run), { name, algorithm }, run).toString('base64url')}`;
}

function signature(
  text: string,
  key: KeyObject | Buffer,
  { name, algorithm: { kind, hash } }: { readonly name: string; readonly algorithm: Algorithm },
  run: Run,
): Buffer {
  if (kind === 'hmac' || Buffer.isBuffer(key)) {
    if (kind !== 'hmac' || !Buffer.isBuffer(key)) throw new BuiltinError(`JWK has another type than ${name} needs`);
    return createHmac(hash ?? 'sha256', key)
      .update(text)
      .digest();
  }
  if (key.asymmetricKeyType !== KEY_TYPES[kind]) throw new BuiltinError(`JWK has another type than ${name} needs`);
  // The same program and input give the same result. These signatures contain random numbers.
  if (kind === 'pss' || kind === 'ecdsa') throw new BuiltinError(`signing with ${name} is not supported: it is random`);
  spendSignature(run, key, true);
  return cryptographic('key', () => sign(hash, Buffer.from(text), key));
}
