import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isDictionary } from '#shared/base/validation.ts';
import { SbomUnreadable } from './summary.ts';

/** Deepest nesting of elements. Each component inside another one adds two levels. */
const MAX_DEPTH = 250;

/** Longest part of the parser's own sentence. */
const LONGEST_REASON = 200;

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Parses XML to plain objects: attributes are fields `@name`, the text of an element with attributes is `#text`, repeated elements
 * are lists. Names lose the prefix of their namespace. No entity is expanded, and a document type is refused: an SBOM needs none, and
 * entities of a document type can grow without bound.
 *
 * @throws SbomUnreadable if the text is not well-formed, has a document type, or is nested too deep
 */
export function parseXml(text: string): Record<string, unknown> {
  if (hasDocumentType(text)) throw new SbomUnreadable('The XML has a document type (DOCTYPE), which is not accepted');
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    transformTagName: (name) => name.slice(name.indexOf(':') + 1),
    processEntities: false,
    parseTagValue: false,
    maxNestedTags: MAX_DEPTH,
    ignoreDeclaration: true,
    ignorePiTags: true,
  });
  const problem = XMLValidator.validate(text);
  if (problem !== true) throw notWellFormed(`${problem.err.msg} (line ${problem.err.line})`);
  try {
    return parser.parse(text);
  } catch (error) {
    // The parser throws plain errors.
    throw notWellFormed((error as Error).message, error);
  }
}

const notWellFormed = (reason: string, cause?: unknown) =>
  new SbomUnreadable(`The XML cannot be read: ${reason.toWellFormed().slice(0, LONGEST_REASON)}`, cause);

/** Whether a document type stands before the root element. Only declarations, instructions and comments may stand there. */
function hasDocumentType(text: string): boolean {
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at += 1;
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : undefined;
    if (end === undefined) return text.startsWith('<!', at);
    const found = text.indexOf(end, at);
    if (found < 0) return false;
    at = found + end.length;
  }
}

/** Returns a field that holds one element or several as a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Returns the text of an element, with the characters that XML must escape. Undefined if it is not one element with a text. */
export function textOfElement(element: unknown): string | undefined {
  const text = isDictionary(element) ? element['#text'] : element;
  return textOfAttribute(text);
}

/** Returns the value of an attribute, with the characters that XML must escape. Undefined if there is none. */
export const textOfAttribute = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.replaceAll(/&(#x?[0-9a-fA-F]{1,6}|[a-z]{2,4});/g, unescaped) : undefined;

function unescaped(reference: string, name: string): string {
  if (!name.startsWith('#')) return PREDEFINED[name] ?? reference;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}
