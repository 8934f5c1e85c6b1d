import type { Component } from './component.ts';
import { packageOf, parsePackageUrl } from './package-url.ts';
import { withEpoch } from './question.ts';
import { compareTexts } from './versions/order.ts';
import { compareVersions } from './versions/schemes.ts';

/** A package of one build or of both. */
interface DifferentPackage {
  /** The canonical package URL without a version. Null if the components have none that can be read. */
  package: string | null;
  name: string;
}

/** Null stands for a component without a version. */
type Versions = (string | null)[];

/** A package that only one of the builds has. */
interface PackageOfOne extends DifferentPackage {
  versions: Versions;
}

/** A package that both builds have, in different versions. Versions that both have are left out. */
interface ChangedPackage extends DifferentPackage {
  from: Versions;
  to: Versions;
  /** Whether `to` is newer by the rules of the ecosystem. Null if there is not one version on each side, or they cannot be compared. */
  direction: 'newer' | 'older' | null;
}

/** What differs between the components of two builds, each list by package and name. */
export interface ComponentDifferences {
  added: PackageOfOne[];
  removed: PackageOfOne[];
  changed: ChangedPackage[];
  /** How many packages have the same versions in both builds. */
  same: number;
}

/** The versions of one package in one build. */
interface Held extends DifferentPackage {
  type: string | null;
  versions: Set<string | null>;
}

/** Compares the components of two builds by package (rules/components.md#differences). */
export function componentDifferences(before: readonly Component[], after: readonly Component[]): ComponentDifferences {
  const [old, now] = [packagesOf(before), packagesOf(after)];
  const both = [...now].flatMap(([key, one]): [Held, Held][] => {
    const earlier = old.get(key);
    return earlier ? [[earlier, one]] : [];
  });
  const changed = both.flatMap(([from, to]) => changeOf(from, to));
  return {
    added: [...now].flatMap(([key, one]) => (old.has(key) ? [] : packageOfOne(one))).toSorted(compare),
    removed: [...old].flatMap(([key, one]) => (now.has(key) ? [] : packageOfOne(one))).toSorted(compare),
    changed: changed.toSorted(compare),
    same: both.length - changed.length,
  };
}

function packagesOf(components: readonly Component[]): Map<string, Held> {
  const packages = new Map<string, Held>();
  for (const component of components) {
    const one = heldBy(component);
    const key = one.package ?? `\n${one.name}`;
    const known = packages.get(key);
    if (!known) packages.set(key, one);
    else for (const version of one.versions) known.versions.add(version);
    if (known && one.name < known.name) known.name = one.name;
  }
  return packages;
}

/** The version of a package URL counts before the version beside it, as in questions. */
function heldBy({ purl, name, version }: Component): Held {
  const url = purl === null ? null : parsePackageUrl(purl);
  if (url === null) return { package: null, name, type: null, versions: new Set([version]) };
  const own = url.version ?? version;
  const full = own === null ? null : withEpoch(url.type, own, url.qualifiers);
  return { package: packageOf(url), name, type: url.type, versions: new Set([full]) };
}

function changeOf(before: Held, after: Held): ChangedPackage | [] {
  const from = sorted(before.versions.difference(after.versions));
  const to = sorted(after.versions.difference(before.versions));
  if (from.length === 0 && to.length === 0) return [];
  return { package: after.package, name: after.name, from, to, direction: directionOf(after.type, from, to) };
}

function directionOf(type: string | null, [from, ...less]: Versions, [to, ...more]: Versions) {
  if (type === null || typeof from !== 'string' || typeof to !== 'string' || less.length + more.length > 0) return null;
  const order = compareVersions(type, from, to);
  if (order === null || order === 0) return null;
  return order < 0 ? 'newer' : 'older';
}

const packageOfOne = ({ package: id, name, versions }: Held): PackageOfOne => ({
  package: id,
  name,
  versions: sorted(versions),
});

/** Sorts versions as texts. A missing version is last. */
const sorted = (versions: Iterable<string | null>): Versions => [...versions].toSorted(nullsLast);

/** Sorts packages by package URL, those without one last and by name. */
const compare = (one: DifferentPackage, other: DifferentPackage): number =>
  nullsLast(one.package, other.package) || compareTexts(one.name, other.name);

function nullsLast(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return compareTexts(one, other);
}
