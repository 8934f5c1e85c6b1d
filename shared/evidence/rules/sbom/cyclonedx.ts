import { isDictionary } from '#shared/base/validation.ts';
import { type SbomSubject, type SbomSummary, SbomUnreadable, shownSha256, shownText } from './summary.ts';
import { listOf, parseXml, textOfElement } from './xml.ts';

type Fields = Record<string, unknown>;

/** How one form of CycloneDX spells a component. */
interface Spelling {
  components: (holder: Fields) => readonly unknown[];
  type: (component: Fields) => unknown;
  text: (component: Fields, name: string) => unknown;
  sha256: (component: Fields) => unknown;
}

const JSON_SPELLING: Spelling = {
  components: ({ components }) => (Array.isArray(components) ? components : []),
  type: ({ type }) => type,
  text: (component, name) => component[name],
  sha256: ({ hashes }) => dictionaries(hashes).find(({ alg }) => alg === 'SHA-256')?.['content'],
};

const XML_SPELLING: Spelling = {
  components: ({ components }) => (isDictionary(components) ? listOf(components['component']) : []),
  type: (component) => component['@type'],
  text: (component, name) => textOfElement(component[name]),
  sha256: ({ hashes }) => {
    const all = isDictionary(hashes) ? listOf(hashes['hash']) : [];
    return textOfElement(all.find((hash) => isDictionary(hash) && hash['@alg'] === 'SHA-256'));
  },
};

/** Summarizes a CycloneDX document in JSON. @throws SbomUnreadable if it names no version */
export function cycloneDxOfJson(document: Fields): SbomSummary {
  const version = shownText(document['specVersion']);
  if (version === null) throw new SbomUnreadable('The CycloneDX document has no specVersion');
  const { metadata } = document;
  return summaryOf(version, document, isDictionary(metadata) ? metadata['component'] : undefined, JSON_SPELLING);
}

/**
 * Summarizes a CycloneDX document in XML, with or without a prefix of its namespace.
 * @throws SbomUnreadable if the text is not XML, has a document type, or is no CycloneDX
 */
export function cycloneDxOfXml(text: string): SbomSummary {
  const { bom } = parseXml(text);
  if (!isDictionary(bom)) throw new SbomUnreadable('The XML is not CycloneDX: its root is not bom');
  const version = Object.entries(bom)
    .filter(([name]) => name === '@xmlns' || name.startsWith('@xmlns:'))
    .map(([, space]) => /^https?:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/.exec(String(space))?.[1])
    .find((found) => found !== undefined);
  if (version === undefined) throw new SbomUnreadable('The XML is not CycloneDX: bom has no namespace of CycloneDX');
  const { metadata } = bom;
  return summaryOf(version, bom, isDictionary(metadata) ? metadata['component'] : undefined, XML_SPELLING);
}

function summaryOf(version: string, bom: Fields, component: unknown, spelling: Spelling): SbomSummary {
  return {
    format: `cyclonedx-${version}`,
    subject: subjectOf(component, spelling),
    package_count: countPackages(bom, spelling),
  };
}

/** Counts components at every level, except for files: a file is a part of a package. */
function countPackages(bom: Fields, spelling: Spelling): number {
  let count = 0;
  const holders: Fields[] = [bom];
  for (let holder = holders.pop(); holder; holder = holders.pop()) {
    for (const component of spelling.components(holder)) {
      if (!isDictionary(component)) {
        // An element without attributes and children is parsed as a text.
        count += 1;
        continue;
      }
      if (spelling.type(component) !== 'file') count += 1;
      holders.push(component);
    }
  }
  return count;
}

function subjectOf(component: unknown, spelling: Spelling): SbomSubject | null {
  if (!isDictionary(component)) return null;
  const name = shownText(spelling.text(component, 'name'));
  if (name === null) return null;
  return {
    name,
    version: shownText(spelling.text(component, 'version')),
    purl: shownText(spelling.text(component, 'purl')),
    sha256: shownSha256(spelling.sha256(component)),
  };
}

const dictionaries = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
