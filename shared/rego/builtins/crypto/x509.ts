import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { fromPlain } from '../../values/plain.ts';
import { isArray, isNumber, type RegoObject, type Value } from '../../values/value.ts';
import { BASE64 } from '../encoding.ts';
import { type Args, objectAt, stringAt } from '../operands.ts';
import { type Builtin, theme } from '../registry.ts';
import { type Certificate, certificate, certificateRequest, numberOf } from './certificate.ts';
import { type ChainOptions, findChain } from './chains.ts';
import { checkedKey, cryptographic, KEY_STEPS, remembered, spendPrivateKey } from './keys.ts';

const VERIFY = 'crypto.x509.parse_and_verify_certificates';

/** Certificates and keys. Whether a certificate is valid is decided for the instant of the evaluation. */
export const CERTIFICATES: readonly Builtin[] = theme('crypto', [
  [
    'crypto.x509.parse_certificates',
    ['string'],
    'array',
    (args, run) => fields(certificatesOf(stringAt(args, 0), run)),
  ],
  [VERIFY, ['string'], 'array', (args, run) => verified(args, defaults(run), run)],
  [
    `${VERIFY}_with_options`,
    ['string', 'object'],
    'array',
    (args, run) => verified(args, options(objectAt(args, 1), run), run),
  ],
  ['crypto.x509.parse_certificate_request', ['string'], 'object', parseRequest],
  ['crypto.x509.parse_rsa_private_key', ['string'], 'object', parsePrivateKey],
  ['crypto.x509.parse_keypair', ['string', 'string'], 'object', parsePair],
  ['crypto.parse_private_keys', ['string'], 'array', parsePrivateKeys],
]);

/** Certificates as policies see them. `URIStrings` has the addresses of `URIs` as they are written. */
function fields(certificates: readonly Certificate[]): Value {
  return fromPlain(
    certificates.map((one) => ({ ...one.fields, URIStrings: one.names.uris.length === 0 ? null : one.names.uris })),
  );
}

interface Block {
  readonly label: string;
  readonly text: string;
  readonly bytes: Buffer;
}

const BLOCKS = /-----BEGIN ([A-Z0-9 ]+)-----\s([^-]*)-----END \1-----/g;

/** The blocks of a PEM text. Text around them is ignored. */
function blocks(text: string, run: Run): Block[] {
  run.budget.string(text.length * 2);
  run.budget.spend(text.length);
  return [...text.matchAll(BLOCKS)].map(([whole, label = '', encoded = '']) => {
    const bytes = Buffer.from(encoded.replace(/^[^\n]*:[^\n]*$/gm, ''), 'base64');
    return { label, text: whole, bytes };
  });
}

const isPem = (text: string) => text.startsWith('-----BEGIN');

/** Reads PEM, PEM in base64, or one or more certificates in base64, one after the other. */
function certificatesOf(text: string, run: Run): readonly Certificate[] {
  return remembered(run, 'certificates', text, () => {
    const decoded = isPem(text) ? text : base64(text).toString('latin1');
    if (!isPem(decoded)) return concatenated(Buffer.from(decoded, 'latin1')).map((bytes) => certificate(bytes, run));
    return blocks(decoded, run).map(({ label, bytes }) => {
      if (label !== 'CERTIFICATE') throw new BuiltinError(`PEM block type is '${label}', expected CERTIFICATE`);
      return certificate(bytes, run);
    });
  });
}

function base64(text: string): Buffer {
  const joined = text.replace(/[\r\n]/g, '');
  if (!BASE64.test(joined)) throw new BuiltinError('illegal base64 data');
  return Buffer.from(joined, 'base64');
}

/** Splits bytes into the sequences that they consist of. */
function concatenated(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = (bytes[at + 1] ?? 0) & 0x7f;
    const isLong = (bytes[at + 1] ?? 0) >= 0x80;
    if (isLong && (size > 4 || at + 2 + size > bytes.length)) throw new BuiltinError('not a certificate');
    const length = isLong ? 2 + size + bytes.readUIntBE(at + 2, Math.max(1, size)) : 2 + size;
    found.push(bytes.subarray(at, at + length));
    at += length;
  }
  return found;
}

const defaults = (run: Run): ChainOptions => ({ time: Number(run.now / 1_000_000n), host: '', purposes: [1] });

/** Returns whether the chain is valid and, if it is, the certificates of the chain, that of the subject first. */
function verified(args: Args, chosen: ChainOptions, run: Run): Value {
  try {
    const chain = findChain(certificatesOf(stringAt(args, 0), run), chosen, run);
    return chain === null ? [false, []] : [true, fields(chain)];
  } catch (error) {
    if (error instanceof BuiltinError) return [false, []];
    throw error;
  }
}

/** The names of purposes in options, in the order of their numbers. */
const USAGES = [
  'Any ServerAuth ClientAuth CodeSigning EmailProtection IPSECEndSystem IPSECTunnel IPSECUser TimeStamping OCSPSigning',
  'MicrosoftServerGatedCrypto NetscapeServerGatedCrypto MicrosoftCommercialCodeSigning MicrosoftKernelCodeSigning',
].flatMap((names) => names.split(' ').map((name) => `KeyUsage${name}`));

function options(given: RegoObject, run: Run): ChainOptions {
  const known = ['DNSName', 'CurrentTime', 'MaxConstraintComparisons', 'KeyUsages'];
  if (given.pairs().some(([name]) => !known.includes(String(name)))) throw new BuiltinError('invalid key option');
  const { time, host, purposes } = defaults(run);
  const [name, instant, usages] = [given.get('DNSName') ?? host, given.get('CurrentTime'), given.get('KeyUsages')];
  if (typeof name !== 'string') throw new BuiltinError("'DNSName' should be a string");
  if (instant !== undefined && !isNumber(instant)) throw new BuiltinError("'CurrentTime' should be a number");
  if (usages !== undefined && !isArray(usages)) throw new BuiltinError("'KeyUsages' should be an array");
  const wanted = usages?.map((usage) => USAGES.indexOf(String(usage)));
  if (wanted?.includes(-1)) throw new BuiltinError('invalid entries for KeyUsages found');
  return {
    time: instant === undefined ? time : Number(instant) / 1e6,
    host: name,
    purposes: wanted === undefined || wanted.length === 0 ? purposes : wanted,
  };
}

function parseRequest(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  const [block] = isPem(text) ? blocks(text, run) : [];
  if (block !== undefined && block.label !== 'CERTIFICATE REQUEST') throw new BuiltinError('not a certificate request');
  run.budget.string(text.length);
  const bytes = block?.bytes ?? base64(text);
  const decoded = bytes.toString('latin1');
  const [inner] = isPem(decoded) ? blocks(decoded, run) : [];
  return fromPlain(certificateRequest(inner?.bytes ?? bytes, run));
}

/** Reads a private key in the forms PKCS #1, PKCS #8 and SEC 1. */
function privateKey(text: string, run: Run): KeyObject {
  return remembered(run, 'private-key', text, () => {
    spendPrivateKey(run, text.length / 1700);
    return checkedKey(cryptographic('private key', () => createPrivateKey(text)));
  });
}

function privateKeys(text: string, run: Run): KeyObject[] {
  const decoded = isPem(text) || !BASE64.test(text) ? text : base64(text).toString('latin1');
  return blocks(decoded, run)
    .filter(({ label }) => label.endsWith('PRIVATE KEY'))
    .map((block) => {
      // The caller writes out the numbers of every key.
      run.budget.spend(KEY_STEPS);
      return privateKey(block.text, run);
    });
}

/** The first private key, also one that is no RSA key, as a JSON Web Key; null for a text without one. */
function parsePrivateKey(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  if (text === '') throw new BuiltinError('input PEM data was empty');
  const [key] = privateKeys(isPem(text) ? text : base64(text).toString('latin1'), run);
  return key === undefined ? null : fromPlain(cryptographic('private key', () => key.export({ format: 'jwk' })));
}

function parsePrivateKeys(args: Args, run: Run): Value {
  const text = stringAt(args, 0);
  return text === '' ? null : fromPlain(privateKeys(text, run).map(privateNumbers));
}

/** The numbers of a private key under the names that OPA gives them. */
function privateNumbers(key: KeyObject): unknown {
  const { kty, n, e, d, p, q, dp, dq, qi, x, y } = cryptographic('private key', () => key.export({ format: 'jwk' }));
  if (kty === 'EC') return { Curve: {}, D: numberOf(d), X: numberOf(x), Y: numberOf(y) };
  if (kty === 'OKP')
    return Buffer.concat([d, x].map((part) => Buffer.from(part ?? '', 'base64url'))).toString('base64');
  return {
    D: numberOf(d),
    E: numberOf(e),
    N: numberOf(n),
    Primes: [numberOf(p), numberOf(q)],
    Precomputed: { CRTValues: [], Dp: numberOf(dp), Dq: numberOf(dq), Qinv: numberOf(qi) },
  };
}

/** Reads a chain with the private key of its first certificate. */
function parsePair(args: Args, run: Run): Value {
  const certificates = certificatesOf(stringAt(args, 0), run);
  const [leaf] = certificates;
  const [key] = privateKeys(stringAt(args, 1), run);
  if (leaf === undefined || key === undefined) throw new BuiltinError('failed to find a certificate and a private key');
  // `KeyObject.equals` of keys of different types makes the next key that Node reads fail.
  const [own, named] = [createPublicKey(key), leaf.key].map((one) => one.export({ type: 'spki', format: 'der' }));
  if (own === undefined || named === undefined || !own.equals(named))
    throw new BuiltinError('private key does not match public key');
  return fromPlain({
    Certificate: certificates.map(({ bytes }) => bytes.toString('base64')),
    PrivateKey: privateNumbers(key),
    SupportedSignatureAlgorithms: null,
    OCSPStaple: null,
    SignedCertificateTimestamps: null,
    Leaf: leaf.fields,
  });
}
