/** The fields of a package URL, decoded. */
export interface Parts {
  readonly type: string;
  /** Segments with `/` between them, such as `@angular` or `github.com/acme`. */
  readonly namespace: string | null;
  readonly name: string;
  readonly version: string | null;
  /** By key in lower case. The object has no prototype, because callers choose the keys. */
  readonly qualifiers: Readonly<Record<string, string>>;
  readonly subpath: string | null;
}

/** A part of a text that cannot be read. It does not leave this file. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Splits a text at the separators of a package URL and decodes what is between them, in the order of the specification. The
 * library is not asked: it splits by the rules of web addresses, which turn `+` in qualifiers into a space, drop tabs and
 * encode what was not encoded.
 * @returns the problem as a sentence if the text cannot be split
 */
export function splitPackageUrl(text: string): { parts: Parts } | { problem: string } {
  if (!text.isWellFormed() || hasControls(text)) {
    return { problem: 'A package URL has no control characters and no halves of characters' };
  }
  try {
    return { parts: partsOf(text) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { problem: error.message };
  }
}

function partsOf(text: string): Parts {
  const [beforeSubpath, subpath] = splitRight(text, '#');
  const [beforeQualifiers, qualifiers] = splitRight(beforeSubpath, '?');
  const colon = beforeQualifiers.indexOf(':');
  if (colon < 0 || beforeQualifiers.slice(0, colon).toLowerCase() !== 'pkg') {
    throw new Unreadable('A package URL begins with pkg:, such as pkg:npm/lodash@4.17.21');
  }
  const path = beforeQualifiers.slice(colon + 1).replace(/^\/+/, '');
  const slash = path.indexOf('/');
  const type = slash < 0 ? path : path.slice(0, slash);
  if (!/^[a-z][a-z0-9.-]*$/i.test(type)) {
    throw new Unreadable(
      'The type of a package URL consists of letters, digits, dots and dashes, and begins with a letter',
    );
  }
  return {
    type,
    ...packageParts(slash < 0 ? '' : path.slice(slash + 1)),
    qualifiers: qualifiersOf(qualifiers),
    subpath: subpathOf(subpath),
  };
}

function packageParts(text: string): Pick<Parts, 'namespace' | 'name' | 'version'> {
  const at = versionSign(text);
  const version = at < 0 ? '' : decoded('version', text.slice(at + 1));
  // A slash at the end means nothing, but before a version it says that the name is missing.
  const path = at < 0 ? withoutSlashes(text) : text.slice(0, at).replace(/^\/+/, '');
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (/[^/]@/.test(path)) {
    throw new Unreadable('The name of a package URL has %40 where it means the sign @');
  }
  if (name.trim() === '') throw new Unreadable('A package URL needs a name after its type');
  const namespace = segmentsOf('namespace', slash < 0 ? '' : path.slice(0, slash)).join('/');
  return {
    namespace: namespace === '' ? null : namespace,
    name: decoded('name', name),
    version: version === '' ? null : version,
  };
}

/**
 * Where the version begins: at the last `@`. An `@` that begins a segment with other segments after it belongs to a scope that
 * should have been encoded, as in `pkg:npm/@angular/core`.
 */
function versionSign(text: string): number {
  const at = text.lastIndexOf('@');
  const beginsScope = (at === 0 || text[at - 1] === '/') && /^[^/]+\/[^/]/.test(text.slice(at + 1));
  return beginsScope ? -1 : at;
}

function qualifiersOf(text: string | null): Parts['qualifiers'] {
  const pairs = text === null || text === '' ? [] : text.split('&').map(pairOf);
  const keys = pairs.map(([key]) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Unreadable(`The qualifier ${twice} occurs twice`);
  const qualifiers: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs) if (value.trim() !== '') qualifiers[key] = value;
  return qualifiers;
}

function pairOf(pair: string): [key: string, value: string] {
  const equals = pair.indexOf('=');
  const key = pair.slice(0, Math.max(0, equals)).toLowerCase();
  if (!/^[a-z][a-z0-9._-]*$/.test(key)) {
    throw new Unreadable(
      'A qualifier of a package URL is a key, = and a value. The key consists of letters, digits, dots, dashes and underscores, and begins with a letter',
    );
  }
  return [key, decoded('qualifiers', pair.slice(equals + 1))];
}

function subpathOf(text: string | null): string | null {
  const segments = segmentsOf('subpath', text ?? '').filter((segment) => segment !== '.' && segment !== '..');
  return segments.length === 0 ? null : segments.join('/');
}

/** The decoded segments between slashes, without empty ones. */
function segmentsOf(field: string, text: string): string[] {
  return text
    .split('/')
    .filter((segment) => segment.trim() !== '')
    .map((segment) => {
      const plain = decoded(field, segment);
      if (!plain.includes('/')) return plain;
      throw new Unreadable(`The ${field} of a package URL has a / between its segments, and not %2F`);
    });
}

function decoded(field: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Unreadable(
      `The ${field} of the package URL has a % that does not begin an encoded character. Write %25 for the sign`,
    );
  }
}

/** The text before the last occurrence of a separator, and the text after it: null if there is none. */
function splitRight(text: string, separator: string): [before: string, after: string | null] {
  const at = text.lastIndexOf(separator);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

const withoutSlashes = (text: string): string => text.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '');

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);
