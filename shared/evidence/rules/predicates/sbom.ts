import { readSbomOfPredicate } from '../sbom/read-sbom.ts';
import { PredicateUnreadable } from './fields.ts';

/**
 * Summarizes the SBOM of a predicate with the reader of attached SBOMs (rules/attestations.md#what-is-read-of-an-sbom).
 *
 * @param format what the predicate type promises
 * @throws PredicateUnreadable if the document is no SBOM, or is one of the other format
 */
export function readSbomPredicate(predicate: unknown, format: 'spdx' | 'cyclonedx') {
  const { read, unreadable } = readSbomOfPredicate(predicate);
  if (read === null) throw new PredicateUnreadable(unreadable);
  if (!read.format.startsWith(format)) {
    throw new PredicateUnreadable(`The predicate type is one of ${format}, and the document is ${read.format}`);
  }
  return read;
}
