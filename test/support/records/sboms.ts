/** Small SBOMs of a product `shop` 1.2 with two packages, in each form that the service and the client read. */

export const SUBJECT = {
  name: 'shop & co',
  version: '1.2',
  purl: 'pkg:npm/shop@1.2?a=b&c=d',
  sha256: 'ab'.repeat(32),
};

const component = {
  type: 'application',
  name: SUBJECT.name,
  version: SUBJECT.version,
  purl: SUBJECT.purl,
  hashes: [
    { alg: 'SHA-1', content: 'cd'.repeat(20) },
    { alg: 'SHA-256', content: SUBJECT.sha256 },
  ],
};

/** Two packages, one inside the other, and a file. */
export const cycloneDxJson = (specVersion: string): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion,
    version: 1,
    metadata: { timestamp: '2026-01-02T03:04:05Z', component },
    components: [
      { type: 'library', name: 'a', components: [{ type: 'library', name: 'b' }] },
      { type: 'file', name: 'c.txt' },
    ],
  });

const escaped = (text: string) => text.replaceAll('&', '&amp;');

export const cycloneDxXml = (specVersion: string, prefix = ''): string => {
  const tag = (name: string, content: string, attributes = '') =>
    `<${prefix}${name}${attributes}>${content}</${prefix}${name}>`;
  const space = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
  const hashes = component.hashes.map(({ alg, content }) => tag('hash', content, ` alg="${alg}"`)).join('');
  const subject = [
    tag('name', escaped(SUBJECT.name)),
    tag('version', SUBJECT.version),
    tag('hashes', hashes),
    tag('purl', escaped(SUBJECT.purl)),
  ].join('');
  const inner = tag('components', tag('component', tag('name', 'b'), ' type="library"'));
  const parts = [
    tag('component', tag('name', 'a') + inner, ' type="library"'),
    tag('component', tag('name', 'c.txt'), ' type="file"'),
  ].join('');
  const bom = [tag('metadata', tag('component', subject, ' type="application"')), tag('components', parts)].join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by a test -->\n${tag('bom', bom, ` ${space}="http://cyclonedx.org/schema/bom/${specVersion}" version="1"`)}\n`;
};

export const SPDX_JSON: string = JSON.stringify({
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'shop',
  documentNamespace: 'https://sbom.example/shop',
  creationInfo: { created: '2026-01-02T03:04:05Z', creators: ['Tool: maker-1.0'] },
  packages: [
    {
      name: SUBJECT.name,
      SPDXID: 'SPDXRef-shop',
      versionInfo: SUBJECT.version,
      downloadLocation: 'NOASSERTION',
      checksums: [{ algorithm: 'SHA256', checksumValue: SUBJECT.sha256.toUpperCase() }],
      externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: SUBJECT.purl }],
    },
    { name: 'a', SPDXID: 'SPDXRef-a', downloadLocation: 'NOASSERTION' },
  ],
  relationships: [
    {
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: 'SPDXRef-shop',
    },
  ],
});

/** A comment of several lines contains what looks like a tag. */
export const SPDX_TAGS: string = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: shop
DocumentNamespace: https://sbom.example/shop
Creator: Tool: maker-1.0
Created: 2026-01-02T03:04:05Z

# the product
PackageName: ${SUBJECT.name}
SPDXID: SPDXRef-shop
PackageVersion: ${SUBJECT.version}
PackageDownloadLocation: NOASSERTION
PackageChecksum: SHA256: ${SUBJECT.sha256}
ExternalRef: PACKAGE-MANAGER purl ${SUBJECT.purl}
PackageComment: <text>This line is a comment.
PackageName: not a package
</text>

PackageName: a
SPDXID: SPDXRef-a
PackageDownloadLocation: NOASSERTION

Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-shop
`;

export const SPDX_3_JSON: string = JSON.stringify({
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'CreationInfo', '@id': '_:creation', specVersion: '3.0.1', created: '2026-01-02T03:04:05Z' },
    { type: 'SpdxDocument', spdxId: 'urn:shop:document', creationInfo: '_:creation', rootElement: ['urn:shop:sbom'] },
    { type: 'software_Sbom', spdxId: 'urn:shop:sbom', creationInfo: '_:creation', rootElement: ['urn:shop'] },
    {
      type: 'software_Package',
      spdxId: 'urn:shop',
      creationInfo: '_:creation',
      name: SUBJECT.name,
      software_packageVersion: SUBJECT.version,
      software_packageUrl: SUBJECT.purl,
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: SUBJECT.sha256.toUpperCase() }],
    },
    { type: 'software_Package', spdxId: 'urn:a', creationInfo: '_:creation', name: 'a' },
    { type: 'software_File', spdxId: 'urn:c', creationInfo: '_:creation', name: 'c.txt' },
  ],
});
