import type { Component } from './component.ts';
import { type PackageUrl, packageOf, parsePackageUrl } from './package-url.ts';

/** A package: its package URL without version, qualifiers and subpath. A component without a package URL has its name alone. */
export interface PackageName {
  /** Null if the component has no package URL, or one that cannot be read. */
  package: string | null;
  /** The last part of the name in the package URL; without one, the name in the file after its last `/`. */
  name: string;
}

/** A component as the index names it (rules/components.md#index). */
export interface PostedComponent extends PackageName {
  version: string | null;
  /** Qualifiers of the package URL in canonical form; null if there are none. */
  qualifiers: string | null;
  depth: Component['depth'];
}

/** The part of a name by which a component is found: `/` separates groups and namespaces. */
export const lastPart = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

/** Returns the package of a package URL, and the name by which it is found. */
export function packageNameOf(url: PackageUrl): PackageName {
  const text = packageOf(url);
  return { package: text, name: decodeURIComponent(lastPart(text)) };
}

/** Returns how the index names a component. The version of the package URL counts before the one beside it. */
export function postedComponent({ purl, name, version, depth }: Component): PostedComponent {
  const url = purl === null ? null : parsePackageUrl(purl);
  if (url === null) return { package: null, name: lastPart(name), version, qualifiers: null, depth };
  return { ...packageNameOf(url), version: url.version ?? version, qualifiers: qualifiersText(url), depth };
}

function qualifiersText({ qualifiers }: Pick<PackageUrl, 'qualifiers'>): string | null {
  const pairs = Object.entries(qualifiers).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? null : pairs.toSorted().join('&');
}
