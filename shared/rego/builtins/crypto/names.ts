import { isIPv4 } from 'node:net';
import { BuiltinError } from '../../errors.ts';
import type { Run } from '../../run/context.ts';
import { addressText } from '../addresses.ts';
import { hostWithPort, parseUri } from '../uris.ts';
import { children, context, type Der, oidOf, partsOf, readDer, TAGS, textOf } from './der.ts';

/** Alternative names of a certificate, or the names that it permits or excludes. */
export interface GeneralNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly addresses: readonly Buffer[];
  readonly uris: readonly string[];
}

/** Members of a name, by the last number of their identifier (2.5.4.…). */
const MEMBERS: Readonly<Record<number, string>> = {
  6: 'Country',
  10: 'Organization',
  11: 'OrganizationalUnit',
  7: 'Locality',
  8: 'Province',
  9: 'StreetAddress',
  17: 'PostalCode',
};
const SINGLE: Readonly<Record<number, string>> = { 3: 'CommonName', 5: 'SerialNumber' };

/** Reads the name of a subject or issuer into the members that OPA answers with. */
export function distinguishedName(name: Der): object {
  const made: Record<string, unknown> = { CommonName: '', SerialNumber: '', ExtraNames: null };
  for (const member of Object.values(MEMBERS)) made[member] = null;
  const pairs = partsOf(name).flatMap((set) => partsOf(set, TAGS.set).map((pair) => partsOf(pair)));
  const names = pairs.map(([type, value]) => {
    if (value === undefined) throw new BuiltinError('a name has no value');
    return { Type: oidOf(type), Value: textOf(value) };
  });
  for (const { Type: oid, Value: text } of names) {
    if (oid.length !== 4 || oid.slice(0, 3).join('.') !== '2.5.4') continue;
    const [single, list] = [SINGLE[oid[3] ?? 0], MEMBERS[oid[3] ?? 0]];
    if (single !== undefined) made[single] = text;
    // The loop above sets these members to null, and only this line changes them.
    if (list !== undefined) made[list] = [...((made[list] as string[] | null) ?? []), text];
  }
  return { ...made, Names: names.length === 0 ? null : names };
}

/** Reads names of several kinds. Other kinds are left out. */
export function generalNames(names: readonly Der[]): GeneralNames {
  const ofKind = (kind: number) =>
    names.filter(({ tag }) => tag === context(kind, false)).map(({ contents }) => contents);
  const texts = (kind: number) => ofKind(kind).map((contents) => contents.toString('latin1'));
  return { dns: texts(2), emails: texts(1), addresses: ofKind(7), uris: texts(6) };
}

/** The names that a certificate permits and excludes for those that it certifies. */
export function nameConstraints(bytes: Buffer): { readonly permitted: GeneralNames; readonly excluded: GeneralNames } {
  const parts = partsOf(readDer(bytes));
  const names = (kind: number) =>
    generalNames(
      parts
        .filter(({ tag }) => tag === context(kind))
        .flatMap((trees) => children(trees).flatMap((tree) => partsOf(tree).slice(0, 1))),
    );
  return { permitted: names(0), excluded: names(1) };
}

/** Writes an address of 4 or 16 bytes. */
export function ipText(bytes: Buffer): string {
  if (bytes.length !== 4 && bytes.length !== 16) throw new BuiltinError('an address has neither 4 nor 16 bytes');
  return addressText(bytes.length === 4 ? 32 : 128, BigInt(`0x${bytes.toString('hex')}`));
}

/** A range of addresses: the first half of the bytes is an address, the second its mask. */
export function ipRange(bytes: Buffer): object {
  const half = bytes.length / 2;
  return { IP: ipText(bytes.subarray(0, half)), Mask: bytes.subarray(half).toString('base64') };
}

/** The parts of an address of the web, as OPA answers with them. */
export function uriParts(text: string, run: Run): object {
  const parts = parseUri(text, run);
  const part = (name: string) => String(parts.get(name) ?? '');
  const opaque = /^[^:/?#]+:([^/?#][^?#]*)/.exec(text)?.[1] ?? '';
  return {
    Scheme: part('scheme'),
    Opaque: opaque,
    User: null,
    Host: hostWithPort(parts),
    Path: part('path'),
    RawPath: part('raw_path') === part('path') ? '' : part('raw_path'),
    RawQuery: part('raw_query'),
    Fragment: part('fragment'),
    RawFragment: '',
    ForceQuery: false,
    OmitHost: false,
  };
}

/** Whether names fit what an authority permits and excludes. */
export function fitsConstraints(
  names: GeneralNames,
  permitted: GeneralNames,
  excluded: GeneralNames,
  run: Run,
): boolean {
  const hosts = names.uris.map((uri) => String(parseUri(uri, run).get('hostname') ?? ''));
  const check = <T>(
    values: readonly T[],
    yes: readonly T[],
    no: readonly T[],
    fits: (value: T, rule: T) => boolean,
  ) => {
    run.budget.spend(values.length * (yes.length + no.length));
    return values.every(
      (value) => !no.some((rule) => fits(value, rule)) && (yes.length === 0 || yes.some((rule) => fits(value, rule))),
    );
  };
  return (
    check(names.dns, permitted.dns, excluded.dns, fitsDomain) &&
    check(names.emails, permitted.emails, excluded.emails, fitsEmail) &&
    check(names.addresses, permitted.addresses, excluded.addresses, fitsRange) &&
    check(hosts, permitted.uris, excluded.uris, fitsHost)
  );
}

/** A domain fits itself and every name below it. */
function fitsDomain(name: string, domain: string): boolean {
  const [small, rule] = [name.toLowerCase(), domain.toLowerCase().replace(/^\./, '')];
  return rule === '' || small === rule || small.endsWith(`.${rule}`);
}

/** The host of an address must be the rule, or lie below a rule that starts with a dot. */
function fitsHost(host: string, rule: string): boolean {
  if (isIPv4(host) || host.includes(':')) return false;
  const [small, wanted] = [host.toLowerCase(), rule.toLowerCase()];
  return wanted.startsWith('.') ? small.endsWith(wanted) : small === wanted;
}

function fitsEmail(email: string, rule: string): boolean {
  return rule.includes('@') ? email === rule : fitsHost(email.slice(email.lastIndexOf('@') + 1), rule);
}

function fitsRange(address: Buffer, rule: Buffer): boolean {
  if (rule.length !== 2 * address.length) return false;
  return address.every((byte, at) => (byte & (rule[address.length + at] ?? 0)) === (rule[at] ?? 0));
}
