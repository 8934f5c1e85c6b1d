import { bitsOf, children, contentsOf, context, type Der, integerOf, oidOf, partsOf, readDer, TAGS } from './der.ts';
import { type GeneralNames, generalNames, ipRange } from './names.ts';

/** Purposes of certificates, by object identifier. The number is the place in this list. */
const PURPOSES = [
  '2.5.29.37.0',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `1.3.6.1.5.5.7.3.${number}`),
  '1.3.6.1.4.1.311.10.3.3',
  '2.16.840.1.113730.4.1',
  '1.3.6.1.4.1.311.2.1.22',
  '1.3.6.1.4.1.311.61.1.1',
];

/** One extension of a certificate, with its value as bytes. */
interface Extension {
  readonly id: readonly number[];
  readonly critical: boolean;
  readonly value: Buffer;
}

export const base64 = (bytes: Buffer): string => bytes.toString('base64');

/** OPA answers with null where a list is empty. */
export const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

/** Reads the list of extensions at the end of a certificate. */
export function extensionsOf(wrapper: Der | undefined): Extension[] {
  return wrapper === undefined ? [] : children(wrapper).flatMap((list) => partsOf(list).map(extension));
}

/** Reads one extension. */
export function extension(element: Der): Extension {
  const [id, second, third] = partsOf(element);
  const isMarked = second?.tag === TAGS.boolean;
  const critical = isMarked && (second.contents[0] ?? 0) !== 0;
  return { id: oidOf(id), critical, value: contentsOf(isMarked ? third : second, TAGS.octets) };
}

/** An extension as policies see it. */
export const extensionFields = ({ id, critical, value }: Extension) => ({
  Id: id,
  Critical: critical,
  Value: base64(value),
});

const HANDLED = new Set([14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37, 54].map((number) => `2.5.29.${number}`));
/** Whether the meaning of an extension is known here. */
export const isHandled = (id: readonly number[]) => HANDLED.has(id.join('.')) || id.join('.') === '1.3.6.1.5.5.7.1.1';

/** Finds an extension by its identifier. */
type Find = (id: string) => Extension | undefined;

/** The elements of the sequence that an extension holds. */
function sequenceOf(found: Extension | undefined): readonly Der[] {
  return found === undefined ? [] : partsOf(readDer(found.value));
}

/** What a certificate may be used for, and how its authority can be found. */
export function usageFields(find: Find): object {
  const [usage, basic, subjectKey] = [find('2.5.29.15'), find('2.5.29.19'), find('2.5.29.14')];
  const bits = usage === undefined ? Buffer.alloc(0) : bitsOf(readDer(usage.value));
  const keyUsage = [...Array(9).keys()].reduce<number>(
    (sum, bit) => sum | ((((bits[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) << bit),
    0,
  );
  const parts = sequenceOf(basic);
  const isAuthority = parts[0]?.tag === TAGS.boolean && (parts[0].contents[0] ?? 0) !== 0;
  const limit = parts.find(({ tag }) => tag === TAGS.integer);
  const length = limit === undefined ? (basic === undefined ? 0 : -1) : Number(integerOf(limit));
  const ids = sequenceOf(find('2.5.29.37')).map(oidOf);
  const known = (id: readonly number[]) => PURPOSES.indexOf(id.join('.'));
  const authorityId = sequenceOf(find('2.5.29.35')).find(({ tag }) => tag === context(0, false));
  const accesses = sequenceOf(find('1.3.6.1.5.5.7.1.1')).map((one) => partsOf(one));
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
    CRLDistributionPoints: orNull(sequenceOf(find('2.5.29.31')).flatMap(distributionPoint)),
  };
}

function distributionPoint(point: Der): readonly string[] {
  const name = partsOf(point).find(({ tag }) => tag === context(0));
  const full = name === undefined ? undefined : children(name).find(({ tag }) => tag === context(0));
  return full === undefined ? [] : generalNames(children(full)).uris;
}

/** The names that a certificate permits or excludes. */
export function constraintFields(prefix: 'Permitted' | 'Excluded', names: GeneralNames): object {
  return {
    [`${prefix}DNSDomains`]: orNull(names.dns),
    [`${prefix}EmailAddresses`]: orNull(names.emails),
    [`${prefix}IPRanges`]: orNull(names.addresses.map(ipRange)),
    [`${prefix}URIDomains`]: orNull(names.uris),
  };
}

/** The policies under which a certificate was issued, and limits of them. */
export function policyFields(find: Find): object {
  const ids = sequenceOf(find('2.5.29.32')).map((one) => oidOf(partsOf(one)[0]));
  const parts = sequenceOf(find('2.5.29.36'));
  const limit = (kind: number) => {
    const found = parts.find(({ tag }) => tag === context(kind, false));
    return found === undefined ? null : Number(BigInt(`0x${found.contents.toString('hex') || '0'}`));
  };
  const [explicit, mapping] = [limit(0), limit(1)];
  const anyPolicy = find('2.5.29.54');
  const any = anyPolicy === undefined ? null : Number(integerOf(readDer(anyPolicy.value)));
  const mapped = sequenceOf(find('2.5.29.33')).map((one) => partsOf(one).map(oidOf));
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
