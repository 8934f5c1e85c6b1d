import { describedPackage, type SpdxDocument, type SpdxPackage } from '#shared/evidence/rules/sbom/spdx.ts';
import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';
import type { ComponentsRead } from '../component.ts';
import { type ComponentEntry, ComponentSet } from './component-set.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { namelessComponent, purlOf, textOf } from './texts.ts';

/** Types of relationships in SPDX 2 and 3 whose first element depends on the second one, or contains it. */
const HOLDS =
  /^(?:DEPENDS_ON|CONTAINS|STATIC_LINK|DYNAMIC_LINK|dependsOn|contains|has(?:Static|Dynamic)Link|has(?:Optional|Provided)Dependency|hasOptionalComponent)$/;
/** Types whose second element depends on the first one, or contains it: `RUNTIME_DEPENDENCY_OF` is one. */
const IS_HELD = /^(?:(?:[A-Z]+_)?DEPENDENCY_OF|CONTAINED_BY)$/;

/** What SPDX writes for an element or a value that is not there, or is not known. */
const isNothing = (value: unknown): boolean => value === undefined || value === 'NONE' || value === 'NOASSERTION';

/**
 * Reads the components of an SPDX document of every version (rules/components.md#spdx).
 *
 * @throws SbomUnreadable if the version is not read, the packages are no list, a package has no name, or there are too many
 */
export function componentsOfSpdx(document: SpdxDocument): ComponentsRead {
  const { version, packages } = document;
  if (!/^(?:2\.[0-3]|3\.0)$/.test(version)) {
    throw new SbomUnreadable(`Components of SPDX ${version} cannot be read. Versions 2.0 to 2.3 and 3.0 can`);
  }
  if (packages === null) throw new SbomUnreadable('The packages of the document are not a list');
  const subject = describedPackage(document);
  const depths = subject && graphOf(document).depthsBelow(subject.id, isPackage(packages));
  const set = new ComponentSet();
  for (const one of packages) {
    if (one === subject) continue;
    for (const entry of entriesOf(one, depths?.get(one.id) ?? null)) set.add(entry);
  }
  if (subject) for (const own of entriesOf(subject, null)) set.remove(own);
  return set.read(`spdx-${version}`);
}

function isPackage(packages: readonly SpdxPackage[]): (id: unknown) => boolean {
  const ids = new Set(packages.map(({ id }) => id));
  return (id) => ids.has(id);
}

function graphOf({ relationships }: SpdxDocument): DependencyGraph {
  const graph = new DependencyGraph();
  for (const [from, type, to] of relationships) {
    if (typeof type !== 'string' || isNothing(from) || isNothing(to)) continue;
    if (HOLDS.test(type)) graph.add(from, to);
    else if (IS_HELD.test(type)) graph.add(to, from);
  }
  return graph;
}

/** A package with several package URLs is a component for each. */
function entriesOf({ id, name: ownName, version, purls, checksums }: SpdxPackage, depth: ComponentEntry['depth']) {
  const named = purls.flatMap((purl) => (isNothing(purl) ? [] : (purlOf(purl) ?? [])));
  const name = textOf(ownName) ?? named[0];
  if (name === undefined) throw namelessComponent(id);
  const fields = { name, version: isNothing(version) ? null : textOf(version), digests: checksums, depth };
  const all: ComponentEntry[] = (named.length === 0 ? [null] : named).map((purl) => ({ purl, ...fields }));
  return all;
}
