import {
  describedBy,
  isPurl,
  type SpdxDocument,
  type SpdxPackage,
  type SpdxRelationship,
  versionOfSpdx2,
} from './spdx.ts';

/** Tags that begin another element than a package. The tags behind them belong to that element. */
const OTHER_ELEMENTS = new Set(['FileName', 'SnippetSPDXID', 'LicenseID']);

/**
 * Reads an SPDX 2 document in tag-value form: `Tag: value` on each line, `<text>…</text>` around values of several lines.
 * @throws SbomUnreadable if the version is not one of SPDX 2
 */
export function spdxOfTags(text: string): SpdxDocument {
  const packages: SpdxPackage[] = [];
  const relationships: SpdxRelationship[] = [];
  let version = '';
  let own = 'SPDXRef-DOCUMENT';
  /** The package that the present lines are about; null before the first element and in other elements. */
  let current: SpdxPackage | null = null;
  let isDocument = true;
  for (const [tag, value] of tagsOf(text)) {
    if (tag === 'SPDXVersion') version = value;
    else if (tag === 'Relationship') relationships.push(relationshipOf(value));
    else if (tag === 'PackageName') {
      current = { id: undefined, name: value, version: undefined, purls: [], checksums: [] };
      packages.push(current);
      isDocument = false;
    } else if (OTHER_ELEMENTS.has(tag)) {
      current = null;
      isDocument = false;
    } else if (current) addTag(current, tag, value);
    else if (isDocument && tag === 'SPDXID') own = value;
  }
  const described = new Set(describedBy(own, relationships));
  return { version: versionOfSpdx2(version), packages, described, relationships };
}

function addTag(one: SpdxPackage, tag: string, value: string): void {
  if (tag === 'SPDXID') one.id = value;
  if (tag === 'PackageVersion') one.version = value;
  if (tag === 'PackageChecksum') {
    const [algorithm, digest] = value.split(':', 2);
    one.checksums.push([algorithm, digest]);
  }
  if (tag === 'ExternalRef') {
    const [, type, locator] = value.split(/\s+/);
    if (isPurl(type)) one.purls.push(locator);
  }
}

function relationshipOf(value: string): SpdxRelationship {
  const [from, type, to] = value.split(/\s+/);
  return [from, type, to];
}

/** Yields each tag with the first line of its value. Lines inside `<text>` have no tags. */
function* tagsOf(text: string): Generator<[tag: string, value: string]> {
  let inText = false;
  for (const line of text.split('\n')) {
    if (inText) {
      inText = !line.includes('</text>');
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0 || line.startsWith('#')) continue;
    const value = line.slice(colon + 1).trim();
    inText = value.startsWith('<text>') && !value.includes('</text>');
    yield [line.slice(0, colon).trim(), value.replace(/^<text>(.*?)(<\/text>)?$/, '$1')];
  }
}
