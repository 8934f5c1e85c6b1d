import { JsonTextError, parseJson } from '#shared/base/json-text.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { type CycloneDxDocument, cycloneDxOfJson, cycloneDxOfXml } from './cyclonedx.ts';
import { type SpdxDocument, spdxOfJson } from './spdx.ts';
import { spdx3OfJson, versionOfSpdx3 } from './spdx-3.ts';
import { spdxOfTags } from './spdx-tags.ts';
import { SbomUnreadable } from './summary.ts';

/** An SBOM whose format is known, and of which nothing is cut. */
export type SbomDocument = { cycloneDx: CycloneDxDocument; spdx?: never } | { spdx: SpdxDocument; cycloneDx?: never };

/**
 * Most objects and lists of a JSON file, and most tags of an XML file. A file of 10 MB with one package per hundred bytes stays below.
 * A file of empty elements would fill the memory.
 */
const MOST_PARTS = 1_000_000;

/**
 * Parses a software bill of materials: CycloneDX in JSON or XML, SPDX 2 in JSON or as tags and values, SPDX 3.0 in JSON-LD. The bytes
 * decide the format; names and types of files do not.
 *
 * @param bytes the whole file, at most 10 MB
 * @throws SbomUnreadable or JsonTextError if the file is no SBOM or exceeds a limit
 */
export function parseSbom(bytes: Uint8Array): SbomDocument {
  const text = textOf(bytes);
  const start = /\S/.exec(text)?.[0];
  if (start === '{') return sbomOfJson(jsonOf(text));
  if (start === '<') {
    refuseManyParts(text, ['<']);
    return { cycloneDx: cycloneDxOfXml(text) };
  }
  if (/^SPDXVersion:/m.test(text)) return { spdx: spdxOfTags(text) };
  throw new SbomUnreadable('The file is neither CycloneDX nor SPDX, in JSON, XML or tag-value form');
}

/**
 * Parses a file in JSON within the limits of an SBOM.
 * @param bytes the whole file, at most 10 MB
 * @throws SbomUnreadable or JsonTextError if it is no JSON in UTF-8 or exceeds a limit
 */
export const jsonOfFile = (bytes: Uint8Array): unknown => jsonOf(textOf(bytes));

function jsonOf(text: string): unknown {
  refuseManyParts(text, ['{', '[']);
  return parseJson(text);
}

/** Recognizes an SBOM that is already parsed as JSON. @throws SbomUnreadable if the document is no SBOM of a known version */
function sbomOfJson(document: unknown): SbomDocument {
  if (isDictionary(document)) {
    if (document['bomFormat'] === 'CycloneDX') return { cycloneDx: cycloneDxOfJson(document) };
    if (typeof document['spdxVersion'] === 'string') return { spdx: spdxOfJson(document) };
    const version = versionOfSpdx3(document);
    if (version !== undefined) return { spdx: spdx3OfJson(document, version) };
  }
  throw new SbomUnreadable(
    'The JSON is neither CycloneDX (bomFormat) nor SPDX 2 (spdxVersion) nor SPDX 3.0 (@context)',
  );
}

/**
 * Parses an SBOM that is the predicate of a statement. Older tools sign the text of the document, or put it into a member `Data`.
 * @throws SbomUnreadable or JsonTextError if the predicate is no SBOM or exceeds a limit
 */
export function sbomOfPredicate(predicate: unknown): SbomDocument {
  const document = isWrapper(predicate) ? predicate['Data'] : predicate;
  return typeof document === 'string' ? parseSbom(Buffer.from(document)) : sbomOfJson(document);
}

const isWrapper = (predicate: unknown): predicate is { Data: unknown } =>
  isDictionary(predicate) &&
  'Data' in predicate &&
  !('bomFormat' in predicate || 'spdxVersion' in predicate || '@context' in predicate);

/** Returns what a function reads of an SBOM, or why the SBOM cannot be read. */
export function reading<T>(read: () => T): { read: T; unreadable: null } | { read: null; unreadable: string } {
  try {
    return { read: read(), unreadable: null };
  } catch (error) {
    if (error instanceof SbomUnreadable || error instanceof JsonTextError)
      return { read: null, unreadable: error.message };
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new SbomUnreadable('The file is UTF-16 and not UTF-8 text. Write the SBOM as UTF-8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SbomUnreadable('The file is not UTF-8 text', error);
  }
}

/** Whether a text begins with a byte order mark of UTF-16, or with an ASCII character of two bytes. */
function isUtf16([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return false;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (first === 0) !== (second === 0);
}

function refuseManyParts(text: string, openings: readonly string[]): void {
  let parts = 0;
  for (const opening of openings) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      parts += 1;
      if (parts > MOST_PARTS) throw new SbomUnreadable(`The file has more than ${MOST_PARTS} elements`);
    }
  }
}
