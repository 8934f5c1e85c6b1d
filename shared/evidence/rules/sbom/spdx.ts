import { isDictionary } from '#shared/base/validation.ts';
import { type SbomSubject, type SbomSummary, SbomUnreadable, shownSha256, shownText } from './summary.ts';

/** A package as SPDX describes it, before its texts are cut. */
export interface SpdxPackage {
  id: unknown;
  name: unknown;
  version: unknown;
  purl: unknown;
  sha256: unknown;
}

/**
 * Summarizes an SPDX 2 document.
 *
 * @param version `SPDX-2.3`
 * @param described ids of the elements that the document describes
 * @throws SbomUnreadable if the version is not one of SPDX 2
 */
export function spdxSummary(
  version: unknown,
  packages: readonly SpdxPackage[],
  described: ReadonlySet<unknown>,
): SbomSummary {
  const number = /^SPDX-(2\.\d{1,3})$/.exec(String(version).trim())?.[1];
  if (number === undefined) throw new SbomUnreadable('The SPDX document is not of version 2');
  return {
    format: `spdx-${number}`,
    subject: subjectOf(packages, described),
    package_count: packages.length,
  };
}

/** The described package, or the only package of a document that describes nothing. Null if there is none or several. */
function subjectOf(packages: readonly SpdxPackage[], described: ReadonlySet<unknown>): SbomSubject | null {
  const [subject, ...others] = described.size === 0 ? packages : packages.filter(({ id }) => described.has(id));
  const name = shownText(subject?.name);
  if (!subject || others.length > 0 || name === null) return null;
  return {
    name,
    version: shownText(subject.version),
    purl: shownText(subject.purl),
    sha256: shownSha256(subject.sha256),
  };
}

/** Summarizes an SPDX 2 document in JSON. @throws SbomUnreadable if the version is not one of SPDX 2 */
export function spdxOfJson(document: Record<string, unknown>): SbomSummary {
  const packages = dictionaries(document['packages']).map(
    (one): SpdxPackage => ({
      id: one['SPDXID'],
      name: one['name'],
      version: one['versionInfo'],
      purl: dictionaries(one['externalRefs']).find(({ referenceType }) => isPurl(referenceType))?.['referenceLocator'],
      sha256: dictionaries(one['checksums']).find(({ algorithm }) => algorithm === 'SHA256')?.['checksumValue'],
    }),
  );
  return spdxSummary(document['spdxVersion'], packages, describedBy(document));
}

function describedBy({ SPDXID: own, documentDescribes, relationships }: Record<string, unknown>): Set<unknown> {
  const described = new Set<unknown>(Array.isArray(documentDescribes) ? documentDescribes : []);
  for (const { spdxElementId: from, relationshipType: type, relatedSpdxElement: to } of dictionaries(relationships)) {
    if (type === 'DESCRIBES' && from === own) described.add(to);
    if (type === 'DESCRIBED_BY' && to === own) described.add(from);
  }
  return described;
}

/** Whether a reference of a package is its package address. Older writers name the type by its address. */
export const isPurl = (type: unknown): boolean => typeof type === 'string' && /(^|\/)purl$/.test(type);

const dictionaries = (value: unknown) => (Array.isArray(value) ? value.filter(isDictionary) : []);
