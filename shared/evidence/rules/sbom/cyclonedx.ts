import { isDictionary } from '#shared/base/validation.ts';
import { SbomUnreadable, shownText } from './summary.ts';
import { listOf, parseXml, textOfAttribute, textOfElement } from './xml.ts';

type Fields = Record<string, unknown>;

/** How one form of CycloneDX spells a component. */
interface Spelling {
  /** The components inside a document or a component. Undefined if what stands there is no list. */
  components: (holder: Fields) => readonly unknown[] | undefined;
  type: (component: Fields) => unknown;
  text: (component: Fields, name: string) => unknown;
  hashes: (component: Fields) => [algorithm: unknown, value: unknown][];
  /** By what dependencies name a component. Undefined without one. */
  reference: (component: Fields) => string | undefined;
  /** Pairs of references: the first one depends on the second one. */
  dependencies: (bom: Fields) => Iterable<[from: unknown, to: unknown]>;
}

/** A document of CycloneDX, before anything of it is cut. */
export interface CycloneDxDocument {
  /** `1.6` */
  version: string;
  bom: Fields;
  /** What the document describes; not a dictionary if it does not say it. */
  subject: unknown;
  spelling: Spelling;
}

const JSON_SPELLING: Spelling = {
  components: ({ components = null }) => listOrNothing(components),
  type: ({ type }) => type,
  text: (component, name) => component[name],
  hashes: ({ hashes }) => dictionaries(hashes).map(({ alg, content }) => [alg, content]),
  reference: (component) => referenceOf(component['bom-ref']),
  *dependencies({ dependencies }) {
    for (const { ref, dependsOn } of dictionaries(dependencies)) {
      for (const other of Array.isArray(dependsOn) ? dependsOn : []) yield [ref, other];
    }
  },
};

const XML_SPELLING: Spelling = {
  components: ({ components }) => {
    const holders = listOf(components).filter((holder) => holder !== '');
    return holders.every(isDictionary) ? holders.flatMap(({ component }) => listOf(component)) : undefined;
  },
  type: (component) => component['@type'],
  text: (component, name) => textOfElement(component[name]),
  hashes: ({ hashes }) => {
    const all = isDictionary(hashes) ? listOf(hashes['hash']) : [];
    return all.filter(isDictionary).map((hash) => [hash['@alg'], textOfElement(hash)]);
  },
  reference: (component) => referenceOf(textOfAttribute(component['@bom-ref'])),
  *dependencies({ dependencies }) {
    const holders = listOf(dependencies).filter(isDictionary);
    // A dependency may stand inside the one that needs it, at any depth.
    for (let holder = holders.pop(); holder; holder = holders.pop()) {
      for (const inner of listOf(holder['dependency']).filter(isDictionary)) {
        const to = textOfAttribute(inner['@ref']);
        if ('@ref' in holder) yield [textOfAttribute(holder['@ref']), to];
        holders.push(inner);
      }
    }
  },
};

/** Reads a CycloneDX document in JSON. @throws SbomUnreadable if it names no version */
export function cycloneDxOfJson(document: Fields): CycloneDxDocument {
  const version = shownText(document['specVersion']);
  if (version === null) throw new SbomUnreadable('The CycloneDX document has no specVersion');
  return { version, bom: document, subject: subjectOf(document), spelling: JSON_SPELLING };
}

/**
 * Reads a CycloneDX document in XML, with or without a prefix of its namespace.
 * @throws SbomUnreadable if the text is not XML, has a document type, or is no CycloneDX
 */
export function cycloneDxOfXml(text: string): CycloneDxDocument {
  const { bom } = parseXml(text);
  if (!isDictionary(bom)) throw new SbomUnreadable('The XML is not CycloneDX: its root is not bom');
  const version = Object.entries(bom)
    .filter(([name]) => name === '@xmlns' || name.startsWith('@xmlns:'))
    .map(([, space]) => /^https?:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/.exec(String(space))?.[1])
    .find((found) => found !== undefined);
  if (version === undefined) throw new SbomUnreadable('The XML is not CycloneDX: bom has no namespace of CycloneDX');
  return { version, bom, subject: subjectOf(bom), spelling: XML_SPELLING };
}

const subjectOf = ({ metadata }: Fields): unknown => (isDictionary(metadata) ? metadata['component'] : undefined);

const referenceOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const listOrNothing = (value: unknown): readonly unknown[] | undefined => {
  if (value === null) return [];
  return Array.isArray(value) ? value : undefined;
};

const dictionaries = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
