import { isDictionary } from '#shared/base/validation.ts';
import { readSbom, readSbomDocument } from '../sbom/read-sbom.ts';
import { PredicateUnreadable } from './fields.ts';

/**
 * Summarizes the SBOM of a predicate with the reader of attached SBOMs (rules/attestations.md#what-is-read-of-an-sbom). Older tools sign the
 * text of the document, or put it into a member `Data`.
 *
 * @param format what the predicate type promises
 * @throws PredicateUnreadable if the document is no SBOM, or is one of the other format
 */
export function readSbomPredicate(predicate: unknown, format: 'spdx' | 'cyclonedx') {
  const { read, unreadable } = readDocument(documentOf(predicate));
  if (read === null) throw new PredicateUnreadable(unreadable);
  if (!read.format.startsWith(format)) {
    throw new PredicateUnreadable(`The predicate type is one of ${format}, and the document is ${read.format}`);
  }
  return read;
}

const documentOf = (predicate: unknown): unknown =>
  isDictionary(predicate) && 'Data' in predicate && !('bomFormat' in predicate || 'spdxVersion' in predicate)
    ? predicate['Data']
    : predicate;

const readDocument = (document: unknown) =>
  typeof document === 'string' ? readSbom(Buffer.from(document)) : readSbomDocument(document);
