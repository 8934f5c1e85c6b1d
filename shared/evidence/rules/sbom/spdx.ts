import { isDictionary } from '#shared/base/validation.ts';
import { type SbomSubject, type SbomSummary, SbomUnreadable, shownSha256, shownText } from './summary.ts';

/** A package as SPDX describes it, before its texts are cut. */
export interface SpdxPackage {
  id: unknown;
  name: unknown;
  version: unknown;
  purls: unknown[];
  /** `['SHA256', '…']` */
  checksums: [algorithm: unknown, value: unknown][];
}

/** A relationship as the document writes it: `['SPDXRef-a', 'DEPENDS_ON', 'SPDXRef-b']`. */
export type SpdxRelationship = readonly [from: unknown, type: unknown, to: unknown];

/** What is read of an SPDX document in every form and version. */
export interface SpdxDocument {
  /** `2.3`, `3.0` */
  version: string;
  /** Null if what stands there is no list. */
  packages: readonly SpdxPackage[] | null;
  /** Ids of the elements that the document describes. */
  described: ReadonlySet<unknown>;
  relationships: readonly SpdxRelationship[];
}

/**
 * Returns the described package, or the only package of a document that describes nothing. Undefined if there is none or several.
 */
export function describedPackage({ packages, described }: SpdxDocument): SpdxPackage | undefined {
  const all = packages ?? [];
  const [subject, ...others] = described.size === 0 ? all : all.filter(({ id }) => described.has(id));
  return others.length === 0 ? subject : undefined;
}

/** Summarizes an SPDX document. */
export const spdxSummary = (document: SpdxDocument): SbomSummary => ({
  format: `spdx-${document.version}`,
  subject: subjectOf(describedPackage(document)),
  package_count: document.packages?.length ?? 0,
});

function subjectOf(subject: SpdxPackage | undefined): SbomSubject | null {
  const name = shownText(subject?.name);
  if (!subject || name === null) return null;
  return {
    name,
    version: shownText(subject.version),
    purl: shownText(subject.purls[0]),
    sha256: shownSha256(subject.checksums.find(([algorithm]) => algorithm === 'SHA256' || algorithm === 'sha256')?.[1]),
  };
}

/** Returns the number of a version of SPDX 2: `2.3` of `SPDX-2.3`. @throws SbomUnreadable if it is another version */
export function versionOfSpdx2(version: unknown): string {
  const number = /^SPDX-(2\.\d{1,3})$/.exec(String(version).trim())?.[1];
  if (number === undefined) throw new SbomUnreadable('The SPDX document is not of version 2');
  return number;
}

/** Reads an SPDX 2 document in JSON. @throws SbomUnreadable if the version is not one of SPDX 2 */
export function spdxOfJson(document: Record<string, unknown>): SpdxDocument {
  const { packages = [], relationships, documentDescribes, SPDXID: own } = document;
  const found = dictionaries(relationships).map(
    (one): SpdxRelationship => [one['spdxElementId'], one['relationshipType'], one['relatedSpdxElement']],
  );
  const described = Array.isArray(documentDescribes) ? documentDescribes : [];
  return {
    version: versionOfSpdx2(document['spdxVersion']),
    packages: Array.isArray(packages) ? packages.map(packageOf) : null,
    described: new Set([...described, ...describedBy(own, found)]),
    relationships: found,
  };
}

function packageOf(one: unknown): SpdxPackage {
  const fields = isDictionary(one) ? one : {};
  return {
    id: fields['SPDXID'],
    name: fields['name'],
    version: fields['versionInfo'],
    purls: dictionaries(fields['externalRefs'])
      .filter(({ referenceType }) => isPurl(referenceType))
      .map(({ referenceLocator }) => referenceLocator),
    checksums: dictionaries(fields['checksums']).map(({ algorithm, checksumValue }) => [algorithm, checksumValue]),
  };
}

/** Yields the ids of elements that the document describes by a relationship. @param own the id of the document */
export function* describedBy(own: unknown, relationships: Iterable<SpdxRelationship>): Generator<unknown> {
  for (const [from, type, to] of relationships) {
    if (type === 'DESCRIBES' && from === own) yield to;
    if (type === 'DESCRIBED_BY' && to === own) yield from;
  }
}

/** Whether a reference of a package is its package address. Older writers name the type by its address. */
export const isPurl = (type: unknown): boolean => typeof type === 'string' && /(^|\/)purl$/.test(type);

const dictionaries = (value: unknown) => (Array.isArray(value) ? value.filter(isDictionary) : []);
