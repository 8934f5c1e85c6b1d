import type { Model } from './models.ts';

/** Writes a model as each format has it. */

const refOf = (number: number): string => (number === 0 ? 'SPDXRef-root' : `SPDXRef-${number}&`);
const present = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
const nameOf = ({ group, name }: { group: string | null; name: string }) =>
  group === null ? name : `${group}/${name}`;
const digestsOf = (one: Record<'sha1' | 'sha256' | 'sha512', string | null>) =>
  (['sha1', 'sha256', 'sha512'] as const).flatMap((name): [string, string][] => {
    const value = one[name];
    return value === null ? [] : [[name, value]];
  });
const CYCLONEDX_NAMES: Record<string, string> = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' };

export const toCycloneDxJson = ({ subject, components, edges }: Model, specVersion = '1.6'): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion,
    metadata: { component: present({ type: 'application', 'bom-ref': refOf(0), ...subject }) },
    components: components.map((one, i) => {
      const { group, name, version, purl } = one;
      const hashes = digestsOf(one).map(([alg, content]) => ({ alg: CYCLONEDX_NAMES[alg], content }));
      return { type: 'library', 'bom-ref': refOf(i + 1), ...present({ group, name, version, purl }), hashes };
    }),
    dependencies: edges.map(([from, to]) => ({ ref: refOf(from), dependsOn: [refOf(to)] })),
  });

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&#62;').replaceAll('"', '&quot;');
const element = (name: string, text: string | null): string =>
  text === null ? '' : `<${name}>${escaped(text)}</${name}>`;

export function toCycloneDxXml({ subject, components, edges }: Model, version = '1.6'): string {
  const open = (type: string, number: number) => `<component type="${type}" bom-ref="${escaped(refOf(number))}">`;
  const identity = (one: Model['subject']) =>
    ['name', 'version'].map((name) => element(name, one[name as 'name' | 'version'])).join('');
  const all = components.map((one, i) => {
    const hashes = digestsOf(one).map(([name, value]) => `<hash alg="${CYCLONEDX_NAMES[name]}">${value}</hash>`);
    const parts = [element('group', one.group), identity(one), `<hashes>${hashes.join('')}</hashes>`];
    return `${open('library', i + 1)}${parts.join('')}${element('purl', one.purl)}</component>`;
  });
  const dependencies = edges.map(
    ([from, to]) => `<dependency ref="${escaped(refOf(from))}"><dependency ref="${escaped(refOf(to))}"/></dependency>`,
  );
  return `<?xml version="1.0"?>
<bom xmlns="http://cyclonedx.org/schema/bom/${version}">
<metadata>${open('application', 0)}${identity(subject)}${element('purl', subject.purl)}</component></metadata>
<components>${all.join('\n')}</components>
<dependencies>${dependencies.join('\n')}</dependencies>
</bom>`;
}

/** Every second relationship is written in the other direction. */
const relationships = ({ edges }: Model): [string, string, string][] =>
  edges.map(([from, to], i) =>
    i % 2 === 0 ? [refOf(from), 'DEPENDS_ON', refOf(to)] : [refOf(to), 'DEPENDENCY_OF', refOf(from)],
  );

export const toSpdxJson = (model: Model, version = '2.3'): string => {
  const packages = [{ ...model.subject, group: null, sha1: null, sha256: null, sha512: null }, ...model.components];
  return JSON.stringify({
    spdxVersion: `SPDX-${version}`,
    SPDXID: 'SPDXRef-DOCUMENT',
    documentDescribes: [refOf(0)],
    packages: packages.map((one, i) => ({
      SPDXID: refOf(i),
      ...present({ name: nameOf(one), versionInfo: one.version }),
      externalRefs: one.purl === null ? [] : [{ referenceType: 'purl', referenceLocator: one.purl }],
      checksums: digestsOf(one).map(([name, checksumValue]) => ({ algorithm: name.toUpperCase(), checksumValue })),
    })),
    relationships: relationships(model).map(([spdxElementId, relationshipType, relatedSpdxElement]) => ({
      spdxElementId,
      relationshipType,
      relatedSpdxElement,
    })),
  });
};

export const toSpdxTags = (model: Model, version = '2.3'): string => {
  const packages = [{ ...model.subject, group: null, sha1: null, sha256: null, sha512: null }, ...model.components];
  const blocks = packages.map((one, i) =>
    [
      `PackageName: ${nameOf(one)}`,
      `SPDXID: ${refOf(i)}`,
      ...(one.version === null ? [] : [`PackageVersion: ${one.version}`]),
      ...digestsOf(one).map(([name, value]) => `PackageChecksum: ${name.toUpperCase()}: ${value}`),
      ...(one.purl === null ? [] : [`ExternalRef: PACKAGE-MANAGER purl ${one.purl}`]),
    ].join('\n'),
  );
  const lines = relationships(model).map((one) => `Relationship: ${one.join(' ')}`);
  const head = `SPDXVersion: SPDX-${version}\nSPDXID: SPDXRef-DOCUMENT`;
  return [head, ...blocks, 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-root', lines.join('\n')].join('\n\n');
};

export const toSpdx3 = (model: Model): string => {
  const packages = [{ ...model.subject, group: null, sha1: null, sha256: null, sha512: null }, ...model.components];
  return JSON.stringify({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      { type: 'CreationInfo', '@id': '_:creation', specVersion: '3.0.1' },
      { type: 'SpdxDocument', spdxId: 'urn:document', rootElement: ['urn:sbom'] },
      { type: 'software_Sbom', spdxId: 'urn:sbom', rootElement: [refOf(0)] },
      ...packages.map((one, i) => ({
        type: 'software_Package',
        spdxId: refOf(i),
        ...present({ name: nameOf(one), software_packageVersion: one.version, software_packageUrl: one.purl }),
        verifiedUsing: digestsOf(one).map(([algorithm, hashValue]) => ({ type: 'Hash', algorithm, hashValue })),
      })),
      ...model.edges.map(([from, to], i) => ({
        type: 'Relationship',
        spdxId: `urn:relationship:${i}`,
        from: refOf(from),
        relationshipType: 'dependsOn',
        to: [refOf(to)],
      })),
    ],
  });
};
