import { createPublicKey, type KeyObject } from 'node:crypto';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import {
  bitsOf,
  children,
  contentsOf,
  context,
  type Der,
  integerOf,
  oidOf,
  partsOf,
  readDer,
  TAGS,
  timeOf,
} from './der.ts';
import { cryptographic } from './keys.ts';
import {
  distinguishedName,
  type GeneralNames,
  generalNames,
  ipRange,
  ipText,
  nameConstraints,
  uriParts,
} from './names.ts';

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

/** Purposes of certificates, by object identifier. The number is the place in this list. */
export const PURPOSES = [
  '2.5.29.37.0',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `1.3.6.1.5.5.7.3.${number}`),
  '1.3.6.1.4.1.311.10.3.3',
  '2.16.840.1.113730.4.1',
  '1.3.6.1.4.1.311.2.1.22',
  '1.3.6.1.4.1.311.61.1.1',
];

/** Units of work for reading the key of a certificate. */
export const CERTIFICATE_STEPS = 5000;

interface Extension {
  readonly id: readonly number[];
  readonly critical: boolean;
  readonly value: Buffer;
}

/** A certificate with what the check of a chain needs. `fields` is what policies see. */
export interface Certificate {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  readonly key: KeyObject;
  readonly names: GeneralNames;
  readonly permitted: GeneralNames;
  readonly excluded: GeneralNames;
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);
const NO_NAMES: GeneralNames = { dns: [], emails: [], addresses: [], uris: [] };

/** Reads a certificate (RFC 5280). */
export function certificate(bytes: Buffer, run: Run): Certificate {
  run.budget.spend(CERTIFICATE_STEPS + bytes.length * 4);
  const whole = readDer(bytes);
  const [body, algorithm, signature] = partsOf(whole);
  const parts = partsOf(body);
  const hasVersion = parts[0]?.tag === context(0);
  const version = hasVersion ? Number(integerOf(children(parts[0] as Der)[0])) + 1 : 1;
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

function extensionsOf(wrapper: Der | undefined): Extension[] {
  return wrapper === undefined ? [] : children(wrapper).flatMap((list) => partsOf(list).map(extension));
}

function extension(element: Der): Extension {
  const [id, second, third] = partsOf(element);
  const isMarked = second?.tag === TAGS.boolean;
  const critical = isMarked && (second.contents[0] ?? 0) !== 0;
  return { id: oidOf(id), critical, value: contentsOf(isMarked ? third : second, TAGS.octets) };
}

const extensionFields = ({ id, critical, value }: Extension) => ({ Id: id, Critical: critical, Value: base64(value) });

const HANDLED = new Set([14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37, 54].map((number) => `2.5.29.${number}`));
const isHandled = (id: readonly number[]) => HANDLED.has(id.join('.')) || id.join('.') === '1.3.6.1.5.5.7.1.1';

type Find = (id: string) => Extension | undefined;

/** What a certificate may be used for, and how its authority can be found. */
function usageFields(find: Find): object {
  const [usage, basic, purposes] = [find('2.5.29.15'), find('2.5.29.19'), find('2.5.29.37')];
  const bits = usage === undefined ? Buffer.alloc(0) : bitsOf(readDer(usage.value));
  const keyUsage = [...Array(9).keys()].reduce(
    (sum, bit) => sum | (((((bits[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) as number) << bit),
    0,
  );
  const parts = basic === undefined ? [] : partsOf(readDer(basic.value));
  const isAuthority = parts[0]?.tag === TAGS.boolean && (parts[0].contents[0] ?? 0) !== 0;
  const limit = parts.find(({ tag }) => tag === TAGS.integer);
  const length = limit === undefined ? (basic === undefined ? 0 : -1) : Number(integerOf(limit));
  const ids = purposes === undefined ? [] : partsOf(readDer(purposes.value)).map(oidOf);
  const known = (id: readonly number[]) => PURPOSES.indexOf(id.join('.'));
  const [subjectKey, authorityKey, places, lists] = [
    find('2.5.29.14'),
    find('2.5.29.35'),
    find('1.3.6.1.5.5.7.1.1'),
    find('2.5.29.31'),
  ];
  const authorityId = authorityKey && partsOf(readDer(authorityKey.value)).find(({ tag }) => tag === context(0, false));
  const accesses = places === undefined ? [] : partsOf(readDer(places.value)).map((one) => partsOf(one));
  const placesOf = (kind: number) =>
    accesses.flatMap(([method, place]) =>
      oidOf(method).at(-1) === kind && place !== undefined ? generalNames([place]).uris : [],
    );
  return {
    KeyUsage: keyUsage,
    ExtKeyUsage: orNull(ids.map(known).filter((number) => number !== -1)),
    UnknownExtKeyUsage: orNull(ids.filter((id) => known(id) === -1)),
    BasicConstraintsValid: basic !== undefined,
    IsCA: isAuthority,
    MaxPathLen: length,
    MaxPathLenZero: limit !== undefined && length === 0,
    SubjectKeyId: subjectKey === undefined ? null : base64(readDer(subjectKey.value).contents),
    AuthorityKeyId: authorityId === undefined ? null : base64(authorityId.contents),
    OCSPServer: orNull(placesOf(1)),
    IssuingCertificateURL: orNull(placesOf(2)),
    CRLDistributionPoints: orNull(lists === undefined ? [] : partsOf(readDer(lists.value)).flatMap(distributionPoint)),
  };
}

function distributionPoint(point: Der): readonly string[] {
  const name = partsOf(point).find(({ tag }) => tag === context(0));
  const full = name === undefined ? undefined : children(name).find(({ tag }) => tag === context(0));
  return full === undefined ? [] : generalNames(children(full)).uris;
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

function constraintFields(prefix: 'Permitted' | 'Excluded', names: GeneralNames): object {
  return {
    [`${prefix}DNSDomains`]: orNull(names.dns),
    [`${prefix}EmailAddresses`]: orNull(names.emails),
    [`${prefix}IPRanges`]: orNull(names.addresses.map(ipRange)),
    [`${prefix}URIDomains`]: orNull(names.uris),
  };
}

function policyFields(find: Find): object {
  const [policies, limits, anyPolicy, mappings] = [
    find('2.5.29.32'),
    find('2.5.29.36'),
    find('2.5.29.54'),
    find('2.5.29.33'),
  ];
  const ids = policies === undefined ? [] : partsOf(readDer(policies.value)).map((one) => oidOf(partsOf(one)[0]));
  const parts = limits === undefined ? [] : partsOf(readDer(limits.value));
  const limit = (kind: number) => {
    const found = parts.find(({ tag }) => tag === context(kind, false));
    return found === undefined ? null : Number(BigInt(`0x${found.contents.toString('hex') || '0'}`));
  };
  const [explicit, mapping] = [limit(0), limit(1)];
  const any = anyPolicy === undefined ? null : Number(integerOf(readDer(anyPolicy.value)));
  const mapped = mappings === undefined ? [] : partsOf(readDer(mappings.value)).map((one) => partsOf(one).map(oidOf));
  return {
    PolicyIdentifiers: orNull(ids),
    Policies: orNull(ids.map((id) => id.join('.'))),
    PolicyMappings: orNull(
      mapped.map(([issuer, subject]) => ({
        IssuerDomainPolicy: issuer?.join('.'),
        SubjectDomainPolicy: subject?.join('.'),
      })),
    ),
    RequireExplicitPolicy: explicit ?? 0,
    RequireExplicitPolicyZero: explicit === 0,
    InhibitPolicyMapping: mapping ?? 0,
    InhibitPolicyMappingZero: mapping === 0,
    InhibitAnyPolicy: any ?? 0,
    InhibitAnyPolicyZero: any === 0,
  };
}
