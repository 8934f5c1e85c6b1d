import { parseSbom, reading, type SbomDocument, sbomOfPredicate } from '#shared/evidence/rules/sbom/parse-sbom.ts';
import type { ComponentsRead, ComponentsReading } from '../component.ts';
import { componentsOfCycloneDx } from './cyclonedx.ts';
import { componentsOfSpdx } from './spdx.ts';

/**
 * Reads the components of an SBOM in every format (rules/components.md#what-is-read).
 * @param bytes the whole file, at most 10 MB
 */
export const readComponents = (bytes: Uint8Array): ComponentsReading => reading(() => componentsOf(parseSbom(bytes)));

/**
 * Reads the components of an SBOM that is the predicate of a statement, in the forms that the summary of a predicate knows
 * (rules/components.md#what-is-read).
 */
export const readComponentsOf = (predicate: unknown): ComponentsReading =>
  reading(() => componentsOf(sbomOfPredicate(predicate)));

const componentsOf = ({ cycloneDx, spdx }: SbomDocument): ComponentsRead =>
  cycloneDx ? componentsOfCycloneDx(cycloneDx) : componentsOfSpdx(spdx);
