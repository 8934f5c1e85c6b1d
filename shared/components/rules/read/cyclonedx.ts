import { isDictionary } from '#shared/base/validation.ts';
import type { CycloneDxDocument } from '#shared/evidence/rules/sbom/cyclonedx.ts';
import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';
import type { ComponentsRead } from '../component.ts';
import { ComponentSet } from './component-set.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { namelessComponent, purlOf, textOf } from './texts.ts';

type Fields = Record<string, unknown>;

/**
 * Reads the components of a CycloneDX document (rules/components.md#cyclonedx).
 *
 * @throws SbomUnreadable if the version is not read, a list of components is no list, a component has no name, or there are too many
 */
export function componentsOfCycloneDx(document: CycloneDxDocument): ComponentsRead {
  const { version, spelling } = document;
  if (!/^1\.[0-7]$/.test(version)) {
    throw new SbomUnreadable(`Components of CycloneDX ${version} cannot be read. Versions 1.0 to 1.7 can`);
  }
  const subject = isDictionary(document.subject) ? document.subject : null;
  const entries = collectEntries(document, subject);
  const set = new ComponentSet();
  for (const { component, depth } of entries) {
    const identity = identityOf(component, document);
    if (identity === null) throw namelessComponent(spelling.reference(component));
    set.add({ ...identity, digests: spelling.hashes(component), depth });
  }
  const own = subject && identityOf(subject, document);
  if (own) set.remove(own);
  return set.read(`cyclonedx-${version}`);
}

/** Collects the components at every level, also those inside the subject, with their depth below it. */
function collectEntries(document: CycloneDxDocument, subject: Fields | null) {
  const { bom, spelling } = document;
  const nodeOf = (component: Fields): unknown => spelling.reference(component) ?? component;
  const graph = new DependencyGraph();
  const components: Fields[] = [];
  const holders: Fields[] = subject ? [bom, subject] : [bom];
  // The list grows while it is visited, so depth of nesting costs no recursion.
  for (const holder of holders) {
    for (const component of componentsIn(holder, document)) {
      if (holder !== bom) graph.add(nodeOf(holder), nodeOf(component));
      if (isComponent(component, document)) components.push(component);
      holders.push(component);
    }
  }
  for (const [from, to] of spelling.dependencies(bom)) graph.add(from, to);
  const nodes = new Set(components.map(nodeOf));
  const depths = subject && graph.depthsBelow(nodeOf(subject), (node) => nodes.has(node));
  return components.map((component) => ({ component, depth: depths?.get(nodeOf(component)) ?? null }));
}

function componentsIn(holder: Fields, { spelling }: CycloneDxDocument): Fields[] {
  const components = spelling.components(holder);
  if (components === undefined) throw new SbomUnreadable('The field components is not a list of components');
  // An element of XML without attributes and children is parsed as a text.
  return components.map((one) => (isDictionary(one) ? one : {}));
}

/** A file is a part of a component, unless a package URL says that it is one. */
const isComponent = (component: Fields, { spelling }: CycloneDxDocument): boolean =>
  spelling.type(component) !== 'file' || textOf(spelling.text(component, 'purl')) !== null;

function identityOf(component: Fields, { spelling }: CycloneDxDocument) {
  const purl = purlOf(spelling.text(component, 'purl'));
  const group = textOf(spelling.text(component, 'group'));
  const own = textOf(spelling.text(component, 'name'));
  const name = own === null || group === null ? own : textOf(`${group}/${own}`);
  if (name === null && purl === null) return null;
  return { purl, name: name ?? purl ?? '', version: textOf(spelling.text(component, 'version')) };
}
