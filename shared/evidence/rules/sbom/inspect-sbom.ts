import { type SbomDifference, type StatedSbom, sbomDifferences } from './differences.ts';
import { readSbom, type SbomReading } from './read-sbom.ts';

/** What the service found in the file of an SBOM, beside what the reporter stated. */
export type SbomFacts = SbomReading & { differences: SbomDifference[] };

/**
 * Reads an SBOM and compares it with what its reporter stated (rules/attestations.md#what-is-read-of-an-sbom).
 *
 * @param bytes the whole file, at most 10 MB
 */
export function inspectSbom(bytes: Uint8Array, stated: StatedSbom): SbomFacts {
  const reading = readSbom(bytes);
  return { ...reading, differences: reading.read === null ? [] : sbomDifferences(stated, reading.read) };
}
