/**
 * The schemes of ranges of versions, in the order of the alphabet. A scheme has the name of the package type that it is for
 * (rules/components.md#order-of-versions).
 */
export const VERSION_SCHEMES = [
  'cargo',
  'composer',
  'deb',
  'gem',
  'generic',
  'golang',
  'hex',
  'maven',
  'npm',
  'nuget',
  'pypi',
  'rpm',
] as const;

export type VersionScheme = (typeof VERSION_SCHEMES)[number];

/** The scheme of ranges for packages of a type. */
export const schemeOf = (type: string): VersionScheme => VERSION_SCHEMES.find((scheme) => scheme === type) ?? 'generic';

/** The range that has every version of packages of a type. */
export const allVersions = (type: string): string => `vers:${schemeOf(type)}/*`;
