import { type FieldErrors, noErrors, withInput } from '#shared/base/validation.ts';
import { allVersions } from '#shared/base/versions/schemes.ts';
import type { Component } from './component.ts';
import { lastPart, packageNameOf } from './package-name.ts';
import { type PackageUrl, packageOf, packageUrlText, parsePackageUrl, readPackage } from './package-url.ts';
import { isInRange, parseVersionRange, rangeFits, type VersionRange } from './versions/range.ts';
import { isComparable } from './versions/schemes.ts';

/** What a request gives. A field that is undefined was not given. */
export interface Asked {
  readonly purl?: string | undefined;
  readonly versions?: string | undefined;
  readonly name?: string | undefined;
}

/** A question about one package. */
export interface PackageQuestion {
  readonly kind: 'package';
  readonly purl: PackageUrl;
  /** What the index has for the package: see {@link packageOf}. */
  readonly package: string;
  /** The range of the request, or the version of its package URL as a range. */
  readonly range: VersionRange;
}

/** A search for packages by the beginning of their names. */
export interface NameQuestion {
  readonly kind: 'name';
  readonly name: string;
}

/** What a request asks about components (rules/components.md#questions). */
export type Question = PackageQuestion | NameQuestion;

/** What a component says to a question. */
export type Answer = 'yes' | 'no' | { unknown: string };

/** The qualifier that belongs to the version, where versions have epochs. */
const EPOCH = 'epoch';
const SHORTEST_NAME = 2;
const LONGEST_NAME = 100;

/**
 * Reads what a request asks (rules/components.md#questions).
 * @returns the problems by field if it asks nothing that can be answered
 */
export function parseQuestion(asked: Asked): { question: Question } | { errors: FieldErrors } {
  const errors = noErrors();
  const { purl, versions, name } = asked;
  if (purl === undefined && name === undefined) errors['purl'] = 'Give purl, or name to search for packages';
  if (purl !== undefined && name !== undefined) errors['name'] = withInput('Give purl or name, and not both', name);
  if (name !== undefined && versions !== undefined) {
    errors['versions'] = withInput('A range needs purl: versions of different packages cannot be compared', versions);
  }
  if (Object.keys(errors).length > 0) return { errors };
  return name === undefined ? packageQuestion(purl ?? '', versions) : nameQuestion(name);
}

/** What a component says to a question (rules/components.md#questions). */
export function answersTo(question: Question, component: Pick<Component, 'purl' | 'name' | 'version'>): Answer {
  const url = component.purl === null ? null : parsePackageUrl(component.purl);
  const name = url === null ? lastPart(component.name) : packageNameOf(url).name;
  if (question.kind === 'name') return answerOf(name.toLowerCase().startsWith(question.name.toLowerCase()));
  if (url === null) return answerWithoutPackageUrl(question, name);
  if (packageOf(url) !== question.package) return 'no';
  return answerOfVersion(question, { version: url.version ?? component.version, qualifiers: url.qualifiers });
}

/**
 * What a version of the package of a question says to it, for readers that have found the package already.
 * @param one the qualifiers of its package URL, decoded
 */
export function answerOfVersion(
  { purl, range }: PackageQuestion,
  { version, qualifiers }: Pick<PackageUrl, 'version' | 'qualifiers'>,
): Answer {
  const asked = Object.entries(purl.qualifiers).filter(([key]) => !(key === EPOCH && hasEpoch(purl.type)));
  if (asked.some(([key, value]) => qualifiers[key] !== value)) return 'no';
  const found = isInRange(range, version === null ? null : withEpoch(purl.type, version, qualifiers));
  return 'unknown' in found ? found : answerOf(found.within);
}

/**
 * Reads a question about a package.
 * @param text the package URL
 * @returns as {@link parseQuestion}
 */
export function packageQuestion(
  text: string,
  versions: string | undefined,
): { question: PackageQuestion } | { errors: FieldErrors } {
  const errors = noErrors();
  const read = readPackage(text);
  const parsed = versions === undefined ? null : parseVersionRange(versions);
  if ('problem' in read) errors['purl'] = withInput(read.problem, text);
  if (parsed !== null && 'problem' in parsed) errors['versions'] = withInput(parsed.problem, versions);
  if ('problem' in read || (parsed !== null && 'problem' in parsed)) return { errors };
  const { url } = read;
  const range = parsed?.range ?? rangeOfVersion(url);
  const problem = fieldProblem(url, parsed?.range ?? null);
  if (problem !== null) return { errors: problem };
  if (range === null) {
    errors['versions'] = `Give a range, or a version in purl. All versions are ${allVersions(url.type)}`;
    return { errors };
  }
  return { question: { kind: 'package', purl: url, package: packageOf(url), range } };
}

function fieldProblem(url: PackageUrl, range: VersionRange | null): FieldErrors | null {
  const errors = noErrors();
  if (url.subpath !== null) {
    const sentence = 'A question is about a package, and not about a path in it. Leave out the # and what follows';
    errors['purl'] = withInput(sentence, packageUrlText(url));
  }
  if (range !== null && url.version !== null) {
    errors['versions'] = 'Give a range or a version in purl, and not both';
  } else if (range !== null && !rangeFits(range, url.type)) {
    errors['versions'] = `A range of ${range.scheme} does not fit a package of the type ${url.type}`;
  }
  return Object.keys(errors).length === 0 ? null : errors;
}

/** The question that a package URL alone asks: about its version, or about every version if it has none. */
export const questionOf = (purl: PackageUrl): PackageQuestion => ({
  kind: 'package',
  purl,
  package: packageOf(purl),
  range: rangeOfVersion(purl) ?? { scheme: purl.type, constraints: [], isAll: true },
});

/** A version as a range. Versions that the rules of the type cannot compare, and those of types without rules, are compared as texts. */
function rangeOfVersion({ type, version, qualifiers }: PackageUrl): VersionRange | null {
  if (version === null) return null;
  const own = withEpoch(type, version, qualifiers);
  const scheme = isComparable(type, own) ? type : 'text';
  return { scheme, constraints: [{ comparator: '=', version: own }], isAll: false };
}

/** Some tools name the epoch of a version in a qualifier, as the specification asks for packages of RPM. */
export function withEpoch(type: string, version: string, qualifiers: PackageUrl['qualifiers']): string {
  const epoch = hasEpoch(type) && !version.includes(':') ? qualifiers[EPOCH] : undefined;
  return epoch === undefined ? version : `${epoch}:${version}`;
}

const hasEpoch = (type: string): boolean => type === 'rpm' || type === 'deb';

function nameQuestion(text: string): { question: Question } | { errors: FieldErrors } {
  const name = text.trim();
  const errors = noErrors();
  if (name.length < SHORTEST_NAME || name.length > LONGEST_NAME) {
    errors['name'] = withInput(`A name that is searched has ${SHORTEST_NAME} to ${LONGEST_NAME} characters`, text);
    return { errors };
  }
  return { question: { kind: 'name', name } };
}

/** Why nobody can say whether a component is meant that has the name of the package and names no package. */
export const UNNAMED = 'the component has the name of the package, and no package URL that can be read';

/** A component that has the name of the package and names no package may be the one that is asked for. */
const answerWithoutPackageUrl = ({ purl }: PackageQuestion, name: string): Answer =>
  name.toLowerCase() === purl.name.toLowerCase() ? { unknown: UNNAMED } : 'no';

const answerOf = (isSo: boolean): Answer => (isSo ? 'yes' : 'no');
