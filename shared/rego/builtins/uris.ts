import { isIPv6 } from 'node:net';
import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { RegoObject } from '../values/value.ts';
import { accepts, stringAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Addresses in parts, by the rules of RFC 3986 as OPA reads them. */
export const URIS: readonly Builtin[] = theme('uri', [
  ['uri.parse', ['string'], 'object', (args, run) => parseUri(stringAt(args, 0), run)],
  ['uri.is_valid', ['string'], 'boolean', (args, run) => stringAt(args, 0) !== '' && isUri(stringAt(args, 0), run)],
]);

const isUri = accepts(parseUri);

/** Returns the parts that are not empty. A path after a scheme without a slash (`mailto:a@b`) is no part. */
export function parseUri(text: string, run: Pick<Run, 'budget'>): RegoObject {
  run.budget.string(text.length);
  run.budget.spend(text.length * 4);
  // The control characters of ASCII, without those beyond it.
  if (/[^\P{Cc}\u0080-\u009f]/u.test(text)) throw new BuiltinError('invalid control character in URL');
  const [beforeFragment, fragment] = cut(text, '#');
  const { scheme, rest } = splitScheme(beforeFragment);
  const [beforeQuery, query] = cut(rest, '?');
  const { host, port, path } = location(beforeQuery, scheme);
  const parts = {
    scheme: scheme.toLowerCase(),
    hostname: host,
    port,
    path: unescaped(path),
    raw_path: rawPath(path),
    raw_query: query,
    fragment: unescaped(fragment),
  };
  return RegoObject.of(Object.entries(parts).filter(([, part]) => part !== ''));
}

/** The parts of an address that a signature covers: host with port, path and query, both as they are sent. */
export function requestTarget(
  url: string,
  run: Run,
): { readonly host: string; readonly path: string; readonly query: string } {
  const parts = parseUri(url, run);
  const part = (name: string) => String(parts.get(name) ?? '');
  return {
    host: hostWithPort(parts),
    path: escapedPath(part('path'), part('raw_path')),
    query: part('raw_query'),
  };
}

/** Writes the host of an address with its port, if it names one. */
export function hostWithPort(parts: RegoObject): string {
  const [host, port] = ['hostname', 'port'].map((name) => String(parts.get(name) ?? ''));
  return `${host?.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
}

/** Returns a path as it is sent: as written, if only allowed characters were written. */
function escapedPath(plain: string, written: string): string {
  return /^(?:[A-Za-z0-9!$&'()*+,;=:@[\]/._~-]|%[0-9a-fA-F]{2})*$/.test(written) ? written : encodePath(plain);
}

/** Escapes every character but letters, digits and `-_.~`. */
export function percentEncoded(plain: string): string {
  return encodeURIComponent(plain.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encodePath(plain: string): string {
  return percentEncoded(plain).replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (code) => decodeURIComponent(code));
}

/** As in OPA, the path as written counts only where it is not the plain way of writing the path. */
function rawPath(path: string): string {
  const plain = unescaped(path);
  return encodePath(plain) === path ? plain : path;
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function splitScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(':')) throw new BuiltinError('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '';
  return { scheme, rest: scheme === '' ? text : text.slice(scheme.length + 1) };
}

function location(
  text: string,
  scheme: string,
): { readonly host: string; readonly port: string; readonly path: string } {
  if (!text.startsWith('/')) {
    if (scheme !== '') return { host: '', port: '', path: '' };
    if (/^[^/]*:/.test(text)) throw new BuiltinError('first path segment in URL cannot contain colon');
  }
  if (!text.startsWith('//') || (scheme === '' && text.startsWith('///'))) return { host: '', port: '', path: text };
  const end = text.indexOf('/', 2);
  const authority = end === -1 ? text.slice(2) : text.slice(2, end);
  return { ...hostAndPort(authority), path: end === -1 ? '' : text.slice(end) };
}

function hostAndPort(authority: string): { readonly host: string; readonly port: string } {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(user)) throw new BuiltinError('invalid userinfo');
  unescaped(user);
  const place = authority.slice(at + 1);
  const [, bracketed, plain = '', port = ''] = /^(?:\[(.*)\]|([^[].*?)?)(?::(\d*))?$/s.exec(place) ?? [];
  if (place !== '' && bracketed === undefined && plain === '' && port === '' && place !== ':') {
    throw new BuiltinError('invalid host');
  }
  return { host: bracketed === undefined ? hostName(plain) : address(bracketed), port };
}

function hostName(name: string): string {
  const invalid = /[^A-Za-z0-9\-_.~!$&'()*+,;=[\]<>"%\u0080-\u{10ffff}]/u.exec(name);
  if (invalid !== null) throw new BuiltinError(name.includes(':') ? 'invalid port' : 'invalid character in host name');
  // Only bytes beyond ASCII, and the percent sign itself, may be escaped in a name.
  if (/%[0-7]/.test(name.replaceAll('%25', ''))) throw new BuiltinError('invalid URL escape');
  return unescaped(name);
}

/** Reads an IPv6 address with an optional zone. */
function address(text: string): string {
  const [plain = '', zone = ''] = text.split(/%25(.*)/s);
  if (plain.includes('%') || !isIPv6(plain)) throw new BuiltinError('invalid host: not an IPv6 address');
  return zone === '' ? plain : `${plain}%${unescaped(zone)}`;
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw new BuiltinError('invalid URL escape');
  const bytes = text.split(/(%[0-9a-fA-F]{2})/).map((part, at) => Buffer.from(...decoded(part, at % 2 === 1)));
  return Buffer.concat(bytes).toString('utf8');
}

const decoded = (part: string, escaped: boolean): [string, 'hex' | 'utf8'] =>
  escaped ? [part.slice(1), 'hex'] : [part, 'utf8'];
