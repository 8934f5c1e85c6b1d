import { createPublicKey, type KeyObject } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { bitsOf, children, context, type Der, integerOf, oidOf, partsOf, readDer, TAGS, timeOf } from './der.ts';
import {
  base64,
  constraintFields,
  extension,
  extensionFields,
  extensionsOf,
  isHandled,
  orNull,
  policyFields,
  usageFields,
} from './extensions.ts';
import { cryptographic } from './keys.ts';
import { distinguishedName, type GeneralNames, generalNames, ipText, nameConstraints, uriParts } from './names.ts';

/** Numbers of signature algorithms, as OPA answers with them, by object identifier. */
const SIGNATURES: Readonly<Record<string, number>> = {
  '1.2.840.113549.1.1.4': 2,
  '1.2.840.113549.1.1.5': 3,
  '1.2.840.113549.1.1.11': 4,
  '1.2.840.113549.1.1.12': 5,
  '1.2.840.113549.1.1.13': 6,
  '1.2.840.10040.4.3': 7,
  '2.16.840.1.101.3.4.3.2': 8,
  '1.2.840.10045.4.1': 9,
  '1.2.840.10045.4.3.2': 10,
  '1.2.840.10045.4.3.3': 11,
  '1.2.840.10045.4.3.4': 12,
  '1.3.101.112': 16,
};
/** RSA-PSS has one identifier. The hash and the length of the salt, which must be that of the hash, decide. */
const PSS = '1.2.840.113549.1.1.10';
const PSS_HASHES: Readonly<Record<string, { readonly number: number; readonly salt: bigint }>> = {
  '2.16.840.1.101.3.4.2.1': { number: 13, salt: 32n },
  '2.16.840.1.101.3.4.2.2': { number: 14, salt: 48n },
  '2.16.840.1.101.3.4.2.3': { number: 15, salt: 64n },
};

const KEY_ALGORITHMS: Readonly<Record<string, number>> = { rsa: 1, dsa: 2, ec: 3, ed25519: 4 };

/** Units of work for reading the key of a certificate. */
export const CERTIFICATE_STEPS = 5000;

/** A certificate with what the check of a chain needs. `fields` is what policies see. */
export interface Certificate {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly key: KeyObject;
  readonly names: GeneralNames;
  readonly permitted: GeneralNames;
  readonly excluded: GeneralNames;
}

const NO_NAMES: GeneralNames = { dns: [], emails: [], addresses: [], uris: [] };

/** Reads a certificate (RFC 5280). */
export function certificate(bytes: Buffer, run: Run): Certificate {
  run.budget.spend(CERTIFICATE_STEPS + bytes.length * 4);
  const whole = readDer(bytes);
  const [body, algorithm, signature] = partsOf(whole);
  const parts = partsOf(body);
  const [first] = parts;
  const hasVersion = first !== undefined && first.tag === context(0);
  const version = hasVersion ? Number(integerOf(children(first)[0])) + 1 : 1;
  const [serial, , issuer, validity, subject, keyInfo, ...rest] = hasVersion ? parts.slice(1) : parts;
  if (body === undefined || issuer === undefined || subject === undefined || keyInfo === undefined) {
    throw new BuiltinError('certificate is not complete');
  }
  const [from, to] = partsOf(validity);
  const extensions = extensionsOf(rest.find(({ tag }) => tag === context(3)));
  const find = (id: string) => extensions.find((one) => one.id.join('.') === id);
  const { key, ...publicKey } = publicKeyFields(keyInfo);
  const names = alternativeNames(find('2.5.29.17')?.value);
  const constraints = find('2.5.29.30');
  const { permitted, excluded } =
    constraints === undefined ? { permitted: NO_NAMES, excluded: NO_NAMES } : nameConstraints(constraints.value);
  const fields = {
    Raw: base64(bytes),
    RawTBSCertificate: base64(body.raw),
    RawSubjectPublicKeyInfo: base64(keyInfo.raw),
    RawSubject: base64(subject.raw),
    RawIssuer: base64(issuer.raw),
    Signature: base64(bitsOf(signature)),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    ...publicKey,
    Version: version,
    SerialNumber: integerOf(serial),
    Issuer: distinguishedName(issuer),
    Subject: distinguishedName(subject),
    NotBefore: timeOf(from),
    NotAfter: timeOf(to),
    Extensions: orNull(extensions.map(extensionFields)),
    ExtraExtensions: null,
    UnhandledCriticalExtensions: orNull(
      extensions.filter(({ id, critical }) => critical && !isHandled(id)).map(({ id }) => id),
    ),
    ...usageFields(find),
    ...nameFields(names, run),
    PermittedDNSDomainsCritical: constraints?.critical ?? false,
    ...constraintFields('Permitted', permitted),
    ...constraintFields('Excluded', excluded),
    ...policyFields(find),
  };
  return { fields, bytes, key, names, permitted, excluded };
}

/** Reads a request for a certificate (RFC 2986). */
export function certificateRequest(bytes: Buffer, run: Run): Readonly<Record<string, unknown>> {
  run.budget.spend(CERTIFICATE_STEPS + bytes.length * 4);
  const [body, algorithm, signature] = partsOf(readDer(bytes));
  const [version, subject, keyInfo, attributes] = partsOf(body);
  if (body === undefined || subject === undefined || keyInfo === undefined)
    throw new BuiltinError('request is not complete');
  const wanted = attributes === undefined ? [] : children(attributes).map((one) => partsOf(one));
  const [, requested] = wanted.find(([id]) => oidOf(id).join('.') === '1.2.840.113549.1.9.14') ?? [];
  const extensions =
    requested === undefined ? [] : partsOf(requested, TAGS.set).flatMap((one) => partsOf(one).map(extension));
  const names = alternativeNames(extensions.find(({ id }) => id.join('.') === '2.5.29.17')?.value);
  const { key: _, ...publicKey } = publicKeyFields(keyInfo);
  return {
    Raw: base64(bytes),
    RawTBSCertificateRequest: base64(body.raw),
    RawSubjectPublicKeyInfo: base64(keyInfo.raw),
    RawSubject: base64(subject.raw),
    Version: Number(integerOf(version)),
    Signature: base64(bitsOf(signature)),
    SignatureAlgorithm: signatureAlgorithm(algorithm),
    ...publicKey,
    Subject: distinguishedName(subject),
    Attributes: orNull(wanted.flatMap(attributeFields)),
    Extensions: orNull(extensions.map(extensionFields)),
    ExtraExtensions: null,
    ...nameFields(names, run),
  };
}

/** Only attributes whose values are pairs of an identifier and a text are shown, as in OPA. */
function attributeFields([id, values]: readonly Der[]): object[] {
  if (values === undefined || oidOf(id).join('.') !== '1.2.840.113549.1.9.14') return [];
  const pairs = partsOf(values, TAGS.set).map((list) => partsOf(list).map(extension));
  return [
    { Type: oidOf(id), Value: pairs.map((list) => list.map((one) => ({ Type: one.id, Value: base64(one.value) }))) },
  ];
}

function signatureAlgorithm(algorithm: Der | undefined): number {
  const [id, parameters] = partsOf(algorithm);
  const name = oidOf(id).join('.');
  if (name !== PSS) return SIGNATURES[name] ?? 0;
  const [hash, , salt] = partsOf(parameters);
  const known = PSS_HASHES[oidOf(partsOf(partsOf(hash, context(0))[0])[0]).join('.')];
  return known !== undefined && integerOf(partsOf(salt, context(2))[0]) === known.salt ? known.number : 0;
}

function publicKeyFields(keyInfo: Der): {
  readonly key: KeyObject;
  readonly PublicKeyAlgorithm: number;
  readonly PublicKey: unknown;
} {
  const key = cryptographic('public key', () => createPublicKey({ key: keyInfo.raw, format: 'der', type: 'spki' }));
  return { key, PublicKeyAlgorithm: KEY_ALGORITHMS[key.asymmetricKeyType ?? ''] ?? 0, PublicKey: publicNumbers(key) };
}

/** The number in the base64 of a JSON Web Key. */
export const numberOf = (text: string | undefined): bigint =>
  BigInt(`0x${Buffer.from(text ?? 'AA', 'base64url').toString('hex')}`);

function publicNumbers(key: KeyObject): unknown {
  if (key.asymmetricKeyType === 'dsa') return null;
  const jwk = cryptographic('public key', () => key.export({ format: 'jwk' }));
  if (jwk.kty === 'RSA') return { N: numberOf(jwk.n), E: numberOf(jwk.e) };
  if (jwk.kty === 'EC') return { Curve: {}, X: numberOf(jwk.x), Y: numberOf(jwk.y) };
  return base64(Buffer.from(jwk.x ?? '', 'base64url'));
}

function alternativeNames(value: Buffer | undefined): GeneralNames {
  return value === undefined ? NO_NAMES : generalNames(partsOf(readDer(value)));
}

function nameFields(names: GeneralNames, run: Run): object {
  return {
    DNSNames: orNull(names.dns),
    EmailAddresses: orNull(names.emails),
    IPAddresses: orNull(names.addresses.map(ipText)),
    URIs: orNull(names.uris.map((uri) => uriParts(uri, run))),
  };
}
