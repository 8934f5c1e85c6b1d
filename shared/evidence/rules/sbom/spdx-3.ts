import { isDictionary } from '#shared/base/validation.ts';
import type { SpdxDocument, SpdxPackage, SpdxRelationship } from './spdx.ts';
import { SbomUnreadable } from './summary.ts';
import { listOf } from './xml.ts';

type Fields = Record<string, unknown>;

/** The classes of packages. Models and data sets are packages too. */
const PACKAGES = ['software_Package', 'ai_AIPackage', 'dataset_DatasetPackage'];
const RELATIONSHIPS = ['Relationship', 'LifecycleScopedRelationship'];
/** Classes whose roots are what the document describes. */
const COLLECTIONS = ['SpdxDocument', 'software_Sbom', 'Bom', 'Bundle'];

const CONTEXT = /^https?:\/\/spdx\.org\/rdf\/(\d+\.\d+)(?:\.\d+)?\/spdx-context\.jsonld$/;

/** Returns the version that the context of a JSON document names: `3.0`. Undefined if the document is not one of SPDX 3. */
export function versionOfSpdx3({ '@context': context }: Fields): string | undefined {
  return listOf(context)
    .map((one) => (typeof one === 'string' ? CONTEXT.exec(one)?.[1] : undefined))
    .find((version) => version !== undefined);
}

/**
 * Reads an SPDX 3.0 document in JSON-LD, with the short names of the context that SPDX publishes. The context itself is not loaded.
 *
 * @param version as `versionOfSpdx3` found it
 * @throws SbomUnreadable if the version is not 3.0
 */
export function spdx3OfJson(document: Fields, version: string): SpdxDocument {
  if (version !== '3.0') throw new SbomUnreadable(`SPDX ${version} cannot be read. SPDX 2 and SPDX 3.0 can`);
  const { '@graph': graph = [document] } = document;
  const elements = Array.isArray(graph) ? graph.filter(isDictionary) : [];
  const byId = new Map(elements.map((element) => [idOf(element), element]));
  const relationships = elements.filter((one) => isOf(one, RELATIONSHIPS)).flatMap(relationshipsOf);
  return {
    version,
    packages: Array.isArray(graph)
      ? elements.filter((one) => isOf(one, PACKAGES)).map((one) => packageOf(one, byId))
      : null,
    described: describedBy(elements, byId, relationships),
    relationships,
  };
}

function packageOf(element: Fields, byId: ReadonlyMap<unknown, Fields>): SpdxPackage {
  /** Values of a field. They may stand in the graph under an id of their own. */
  const values = (name: string) =>
    listOf(element[name]).map((one) => (isDictionary(one) ? one : (byId.get(one) ?? {})));
  return {
    id: idOf(element),
    name: element['name'],
    version: element['software_packageVersion'],
    purls: [
      ...listOf(element['software_packageUrl']),
      ...values('externalIdentifier')
        .filter(({ externalIdentifierType }) => externalIdentifierType === 'packageUrl')
        .map(({ identifier }) => identifier),
    ],
    // A package verification code has an algorithm too, and is no digest of the package.
    checksums: values('verifiedUsing')
      .filter((one) => isOf(one, ['Hash']))
      .map(({ algorithm, hashValue }) => [algorithm, hashValue]),
  };
}

const relationshipsOf = ({ from, relationshipType, to }: Fields): SpdxRelationship[] =>
  listOf(to).map((one) => [from, relationshipType, one]);

/** Follows the roots of documents to the elements that they describe. A root may be a collection with roots of its own. */
function describedBy(
  elements: readonly Fields[],
  byId: ReadonlyMap<unknown, Fields>,
  relationships: readonly SpdxRelationship[],
): Set<unknown> {
  const documents = elements.filter((one) => isOf(one, ['SpdxDocument']));
  const starts = documents.length > 0 ? documents : elements.filter((one) => isOf(one, COLLECTIONS));
  const described = Map.groupBy(
    relationships.filter(([, type]) => type === 'describes'),
    ([from]) => from,
  );
  const seen = new Set<unknown>(starts.map(idOf));
  const roots = new Set<unknown>();
  for (const id of seen) {
    const element = byId.get(id);
    if (!element || !isOf(element, COLLECTIONS)) {
      roots.add(id);
      continue;
    }
    // A set visits what is added while it is visited.
    for (const root of listOf(element['rootElement'])) seen.add(root);
    for (const [, , to] of described.get(id) ?? []) seen.add(to);
  }
  return roots;
}

const idOf = (element: Fields): unknown => element['spdxId'] ?? element['@id'];
const isOf = (element: Fields, classes: readonly string[]): boolean =>
  listOf(element['type'] ?? element['@type']).some((one) => classes.some((name) => name === one));
