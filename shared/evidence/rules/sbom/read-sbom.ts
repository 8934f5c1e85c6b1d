import { JsonTextError, parseJson } from '#shared/base/json-text.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { cycloneDxOfJson, cycloneDxOfXml } from './cyclonedx.ts';
import { spdxOfJson } from './spdx.ts';
import { spdxOfTags } from './spdx-tags.ts';
import { type SbomSummary, SbomUnreadable } from './summary.ts';

/** What reading a file gave: its summary, or why the file cannot be read. */
export type SbomReading = { read: SbomSummary; unreadable: null } | { read: null; unreadable: string };

/**
 * Most objects and lists of a JSON file, and most tags of an XML file. A file of 10 MB with one package per hundred bytes stays below.
 * A file of empty elements would fill the memory.
 */
const MOST_PARTS = 1_000_000;

/**
 * Reads a software bill of materials: CycloneDX in JSON or XML, SPDX 2 in JSON or as tags and values
 * (rules/attestations.md#what-is-read-of-an-sbom). The bytes decide the format; names and types of files do not.
 *
 * @param bytes the whole file, at most 10 MB
 */
export function readSbom(bytes: Uint8Array): SbomReading {
  try {
    return { read: summaryOf(textOf(bytes)), unreadable: null };
  } catch (error) {
    if (error instanceof SbomUnreadable || error instanceof JsonTextError)
      return { read: null, unreadable: error.message };
    throw error;
  }
}

/** Reads an SBOM that is already parsed: CycloneDX or SPDX 2 as a value of JSON. */
export function readSbomDocument(document: unknown): SbomReading {
  try {
    return { read: summaryOfJson(document), unreadable: null };
  } catch (error) {
    if (!(error instanceof SbomUnreadable)) throw error;
    return { read: null, unreadable: error.message };
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SbomUnreadable('The file is not UTF-8 text', error);
  }
}

function summaryOf(text: string): SbomSummary {
  const start = /\S/.exec(text)?.[0];
  if (start === '{') {
    refuseManyParts(text, ['{', '[']);
    return summaryOfJson(parseJson(text));
  }
  if (start === '<') {
    refuseManyParts(text, ['<']);
    return cycloneDxOfXml(text);
  }
  if (/^SPDXVersion:/m.test(text)) return spdxOfTags(text);
  throw new SbomUnreadable('The file is neither CycloneDX nor SPDX, in JSON, XML or tag-value form');
}

function summaryOfJson(document: unknown): SbomSummary {
  if (isDictionary(document) && document['bomFormat'] === 'CycloneDX') return cycloneDxOfJson(document);
  if (isDictionary(document) && typeof document['spdxVersion'] === 'string') return spdxOfJson(document);
  throw new SbomUnreadable('The JSON is neither CycloneDX (bomFormat) nor SPDX 2 (spdxVersion)');
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
