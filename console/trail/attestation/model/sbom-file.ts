import { fieldOf, isFields, objectsOf, textOf } from './fields.ts';

/** A package that an SBOM lists. */
export interface Package {
  name: string;
  version: string | null;
  /** Licences as the file names them; empty if it names none. */
  licences: string;
  address: string | null;
}

/** Components inside of components are followed to this depth. */
const DEEPEST = 20;

/** Lists the packages of an SBOM in JSON, of CycloneDX and SPDX; null for every other document. */
export function packagesOf(document: unknown): Package[] | null {
  if (textOf(document, 'bomFormat') === 'CycloneDX') return componentsOf(document, 0);
  if (textOf(document, 'spdxVersion') !== null) return (objectsOf(document, 'packages') ?? []).map(spdxPackage);
  return null;
}

const componentsOf = (parent: unknown, depth: number): Package[] =>
  depth > DEEPEST
    ? []
    : (objectsOf(parent, 'components') ?? []).flatMap((one) => [
        ...(textOf(one, 'type') === 'file' ? [] : [cyclonePackage(one)]),
        ...componentsOf(one, depth + 1),
      ]);

const cyclonePackage = (one: unknown): Package => ({
  name: [textOf(one, 'group'), textOf(one, 'name') ?? 'without a name'].filter((part) => part !== null).join('/'),
  version: textOf(one, 'version'),
  licences: (objectsOf(one, 'licenses') ?? [])
    .map((entry) => {
      const licence = fieldOf(entry, 'license');
      return textOf(entry, 'expression') ?? textOf(licence, 'id') ?? textOf(licence, 'name');
    })
    .filter((name) => name !== null)
    .join(', '),
  address: textOf(one, 'purl'),
});

function spdxPackage(one: unknown): Package {
  const licence = textOf(one, 'licenseConcluded') ?? textOf(one, 'licenseDeclared');
  const address = (objectsOf(one, 'externalRefs') ?? []).find((ref) => textOf(ref, 'referenceType') === 'purl');
  return {
    name: textOf(one, 'name') ?? 'without a name',
    version: textOf(one, 'versionInfo'),
    licences: licence === null || licence === 'NOASSERTION' || licence === 'NONE' ? '' : licence,
    address: isFields(address) ? textOf(address, 'referenceLocator') : null,
  };
}
