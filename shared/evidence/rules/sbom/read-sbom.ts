import { cycloneDxSummary } from './cyclonedx-summary.ts';
import { parseSbom, reading, type SbomDocument, sbomOfPredicate } from './parse-sbom.ts';
import { spdxSummary } from './spdx.ts';
import type { SbomSummary } from './summary.ts';

/** What reading a file gave: its summary, or why the file cannot be read. */
export type SbomReading = { read: SbomSummary; unreadable: null } | { read: null; unreadable: string };

/**
 * Reads the summary of a software bill of materials (rules/attestations.md#what-is-read-of-an-sbom).
 * @param bytes the whole file, at most 10 MB
 */
export const readSbom = (bytes: Uint8Array): SbomReading => reading(() => summaryOf(parseSbom(bytes)));

/** Reads the summary of an SBOM that is the predicate of a statement. */
export const readSbomOfPredicate = (predicate: unknown): SbomReading =>
  reading(() => summaryOf(sbomOfPredicate(predicate)));

const summaryOf = ({ cycloneDx, spdx }: SbomDocument): SbomSummary =>
  cycloneDx ? cycloneDxSummary(cycloneDx) : spdxSummary(spdx);
