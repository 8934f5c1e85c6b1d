import { compareVersions, isComparable, SCHEMES } from './schemes.ts';

type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=';

interface Constraint {
  readonly comparator: Comparator;
  readonly version: string;
}

/** A range of versions of one scheme (rules/components.md#ranges). */
export interface VersionRange {
  readonly scheme: string;
  /** With ascending versions, as far as they can be compared. Empty if the range has all versions. */
  readonly constraints: readonly Constraint[];
  /** Whether the range has all versions: `vers:npm/*`. */
  readonly isAll: boolean;
}

const LONGEST = 4096;
const MOST_CONSTRAINTS = 100;
/** Schemes in which texts that cannot be compared can be equal. `text` is no scheme of the specification, and no request names it. */
const BY_TEXT = new Set(['generic', 'text']);
const EXAMPLE = 'vers:npm/>=1.0.0|<4.17.21';

/**
 * Parses a range such as `vers:npm/>=1.0.0|<4.17.21` (rules/components.md#ranges).
 * @returns the problem as a sentence if the text is none
 */
export function parseVersionRange(text: string): { range: VersionRange } | { problem: string } {
  if (text.length > LONGEST) return { problem: `A range has at most ${LONGEST} characters` };
  const [, scheme, listed] = /^vers:([^/]*)\/(.*)$/is.exec(text.replaceAll(/[ \t]/g, '')) ?? [];
  if (scheme === undefined || listed === undefined) return { problem: `A range has the form ${EXAMPLE}` };
  const known = scheme.toLowerCase();
  if (!SCHEMES.includes(known)) {
    return { problem: `There is no scheme ${quoted(scheme)}. The schemes are ${SCHEMES.join(', ')}` };
  }
  const parts = listed
    .replace(/^\|+/, '')
    .replace(/(?<!\|)\|+$/, '')
    .split('|');
  if (parts.length > MOST_CONSTRAINTS) return { problem: `A range has at most ${MOST_CONSTRAINTS} constraints` };
  if (parts.length === 1 && parts[0] === '*') return { range: { scheme: known, constraints: [], isAll: true } };
  return rangeOf(known, parts);
}

/** Whether a range is about packages of a type (rules/components.md#ranges). */
export function rangeFits(range: VersionRange, purlType: string): boolean {
  return range.scheme === purlType || (range.scheme === 'generic' && !SCHEMES.includes(purlType));
}

/**
 * Whether a version is in a range (rules/components.md#ranges).
 * @param version null if a component does not say its version
 * @returns why it is unknown if the version cannot be compared
 */
export function isInRange(range: VersionRange, version: string | null): { within: boolean } | { unknown: string } {
  if (range.isAll) return { within: true };
  if (version === null) return { unknown: 'the version is not known' };
  const { scheme, constraints } = range;
  const same = constraints.find((one) => isSame(scheme, one.version, version));
  if (same !== undefined && same.comparator !== '<' && same.comparator !== '>') {
    return { within: same.comparator !== '!=' };
  }
  const bounds = boundsOf(range);
  const isByText = BY_TEXT.has(scheme) && bounds.length === 0;
  if (!isByText && !isComparable(scheme, version)) {
    return { unknown: `version ${quoted(version)} cannot be compared by the rules of ${scheme}` };
  }
  if (bounds.length === 0) return { within: constraints.every(({ comparator }) => comparator === '!=') };
  return { within: isBetween(scheme, bounds, version) };
}

function rangeOf(scheme: string, parts: readonly string[]): { range: VersionRange } | { problem: string } {
  const constraints: Constraint[] = [];
  for (const part of parts) {
    const read = constraintOf(scheme, part);
    if ('problem' in read) return read;
    constraints.push(read.constraint);
  }
  const problem = orderProblem(scheme, constraints);
  return problem === null ? { range: { scheme, constraints, isAll: false } } : { problem };
}

function constraintOf(scheme: string, part: string): { constraint: Constraint } | { problem: string } {
  const [, sign = '', encoded = ''] = /^([<>]=?|!=|=)?(.*)$/s.exec(part) ?? [];
  const version = decoded(encoded);
  if (version === null)
    return { problem: `The version ${quoted(encoded)} has a % that does not begin an encoded character` };
  if (version === '') return { problem: `A constraint has no version. A range has the form ${EXAMPLE}` };
  if (/^!|[<>=*]/.test(encoded))
    return { problem: `${quoted(part)} is no constraint: <, <=, >, >=, = or !=, and a version` };
  const comparator = comparatorOf(sign);
  const isEquality = comparator === '=' || comparator === '!=';
  if (!isComparable(scheme, version) && !(isEquality && scheme === 'generic')) {
    return { problem: `Version ${quoted(version)} cannot be compared by the rules of ${scheme}` };
  }
  return { constraint: { comparator, version } };
}

/** Each version occurs once, and those that can be compared go up. Otherwise a range could be meant in two ways. */
function orderProblem(scheme: string, constraints: readonly Constraint[]): string | null {
  const versions = constraints.map(({ version }) => version);
  const twice = versions.find((one, index) => versions.slice(0, index).some((other) => isSame(scheme, one, other)));
  if (twice !== undefined) return `Version ${quoted(twice)} occurs twice in the range`;
  const ordered = versions.filter((version) => isComparable(scheme, version));
  const fall = ordered.findIndex((version, index) => isLess(scheme, version, ordered[index - 1]));
  if (fall < 0) return null;
  return `The versions of a range go up, and ${quoted(ordered[fall] ?? '')} is less than ${quoted(ordered[fall - 1] ?? '')}`;
}

/** The constraints that bound an interval, without those that say nothing beside the next one. */
function boundsOf({ constraints }: VersionRange): readonly Constraint[] {
  const bounds = constraints.filter(({ comparator }) => isLower(comparator) || isUpper(comparator));
  return bounds.filter(({ comparator }, index) => {
    const [before, after] = [bounds[index - 1], bounds[index + 1]];
    return isLower(comparator)
      ? before === undefined || isUpper(before.comparator)
      : after === undefined || isLower(after.comparator);
  });
}

/** Whether a version that no constraint has in it by itself lies in one of the intervals. */
function isBetween(scheme: string, bounds: readonly Constraint[], version: string): boolean {
  if (bounds.some((bound) => isSame(scheme, bound.version, version))) return false;
  const above = bounds.findIndex((bound) => isLess(scheme, version, bound.version));
  const next = above < 0 ? bounds.length : above;
  const [lower, upper] = [bounds[next - 1], bounds[next]];
  return (lower === undefined || isLower(lower.comparator)) && (upper === undefined || isUpper(upper.comparator));
}

const isLower = (comparator: Comparator): boolean => comparator === '>' || comparator === '>=';
const isUpper = (comparator: Comparator): boolean => comparator === '<' || comparator === '<=';

function comparatorOf(sign: string): Comparator {
  switch (sign) {
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return sign;
    default:
      return '=';
  }
}

const isSame = (scheme: string, a: string, b: string): boolean => a === b || compareVersions(scheme, a, b) === 0;

const isLess = (scheme: string, a: string, b: string | undefined): boolean =>
  b !== undefined && compareVersions(scheme, a, b) === -1;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}

const quoted = (text: string): string => `\`${text.length > 60 ? `${text.slice(0, 60)}…` : text}\``;
