import { PackageURL } from 'packageurl-js';
import { type Parts, splitPackageUrl } from './package-url-parts.ts';
import { packageTypeProblem, withCaseOfType } from './package-url-types.ts';

/** A package URL with decoded fields, in the canonical form of its type (rules/components.md#package-urls). */
export type PackageUrl = Parts;

/** The most code points of a text that is read, and of the canonical text that it has. */
const LIMIT = 1024;

/** How the library begins the sentences of its refusals. */
const REFUSAL = 'Invalid purl: ';
/** Stands in for a version in the checks of the library, which wants one for some types (see {@link readPackage}). */
const SOME_VERSION = '0';
/** Types whose package URLs have to name a version. */
const VERSIONED = new Set(['cran', 'swift']);

/**
 * Reads a package URL (rules/components.md#package-urls). The version may be missing, also where the type asks for one.
 * @returns null if the text is no package URL
 */
export function parsePackageUrl(text: string): PackageUrl | null {
  const read = readPackage(text);
  return 'url' in read ? read.url : null;
}

/**
 * Reads a package URL with everything that its type asks for (rules/components.md#package-urls).
 * @returns the problem as a sentence if the text is none
 */
export function readPackageUrl(text: string): { url: PackageUrl } | { problem: string } {
  const read = readPackage(text);
  if ('problem' in read || read.url.version !== null || !VERSIONED.has(read.url.type)) return read;
  return { problem: `A package URL of the type ${read.url.type} needs a version` };
}

/**
 * Reads a package URL that may name all versions of a package. Types that ask for a version accept it too, because a question
 * can give a range instead.
 * @returns the problem as a sentence if the text is none
 */
export function readPackage(text: string): { url: PackageUrl } | { problem: string } {
  if (isLonger(text)) return { problem: `A package URL has at most ${LIMIT} characters` };
  const split = splitPackageUrl(text);
  return 'problem' in split ? split : buildPackageUrl(split.parts);
}

/**
 * Makes a package URL of decoded fields: brings them into the form of their type and checks them.
 * @returns the problem as a sentence if they make none
 */
function buildPackageUrl(parts: Parts): { url: PackageUrl } | { problem: string } {
  const checked = checkedByLibrary(parts);
  if ('problem' in checked) return checked;
  const url = withCaseOfType({ ...checked.url, version: versionOf(parts, checked.url) });
  const problem = packageTypeProblem(url);
  if (problem !== null) return { problem };
  return isLonger(packageUrlText(url)) ? { problem: `A package URL has at most ${LIMIT} characters` } : { url };
}

/** Returns the canonical text. */
export function packageUrlText(url: PackageUrl): string {
  const namespace = url.namespace === null ? '' : `${encodedPath(url.namespace)}/`;
  const version = url.version === null ? '' : `@${encoded(url.version)}`;
  const pairs = Object.entries(url.qualifiers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encodedPath(value)}`);
  const qualifiers = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  const subpath = url.subpath === null ? '' : `#${encodedPath(url.subpath)}`;
  return `pkg:${url.type}/${namespace}${encoded(url.name)}${version}${qualifiers}${subpath}`;
}

/**
 * Returns the package without version, qualifiers and subpath: the text by which components are found
 * (rules/components.md#names-of-packages). Spellings of one package that generators of SBOMs mix have the same text.
 */
export function packageOf({ type, namespace, name }: PackageUrl): string {
  const own = type === 'pypi' ? name.replaceAll(/[-_.]+/g, '-') : name;
  // A name with `%2F` in it, such as `%40angular%2Fcore`, is a namespace and a name that were encoded together.
  return `pkg:${type}/${encodedPath(namespace === null ? own : `${namespace}/${own}`)}`;
}

/** Applies the rules of the library about qualifiers, case, forbidden characters and required fields of a type. */
function checkedByLibrary(parts: Parts): { url: PackageUrl } | { problem: string } {
  try {
    // The library refuses versions of Go that begin with `v` and are no semantic versions, such as branches. The
    // specification allows them.
    const version = parts.type.toLowerCase() === 'golang' ? SOME_VERSION : (parts.version ?? SOME_VERSION);
    const { type, namespace, name, qualifiers, subpath, ...rest } = new PackageURL(
      parts.type,
      parts.namespace,
      parts.name,
      version,
      parts.qualifiers,
      parts.subpath,
    );
    return {
      url: {
        type,
        namespace: namespace === undefined || namespace === '' ? null : namespace,
        name,
        version: rest.version ?? null,
        qualifiers: qualifiers ?? NO_QUALIFIERS,
        subpath: subpath === undefined || subpath === '' ? null : subpath,
      },
    };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith(REFUSAL)) throw error;
    const sentence = error.message.slice(REFUSAL.length).replaceAll('"', '');
    return { problem: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}` };
  }
}

const NO_QUALIFIERS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** The version as the library left it, except where it was kept from the library. */
function versionOf(parts: Parts, { type, version }: PackageUrl): string | null {
  const own = parts.version === null ? '' : parts.version.trim();
  if (own === '') return null;
  return type === 'golang' ? own : version;
}

/** Encodes everything but letters, digits, `.`, `-`, `_`, `~` and the colon. */
const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':');

/** Like {@link encoded}, and leaves `/` as it is. */
const encodedPath = (text: string): string => encoded(text).replaceAll('%2F', '/');

const isLonger = (text: string): boolean =>
  text.length > LIMIT && (text.length > 2 * LIMIT || [...text].length > LIMIT);
