/**
 * Small SBOMs as tools write them, one product in every format: `shop` needs `express`, which needs `debug` and is also needed by it.
 * `shop` contains a file, from which `zlib` comes. Nothing says who needs `left-pad`.
 */

const HASH = { express: 'e1'.repeat(64), debug: 'd1'.repeat(32) };

/** What each document says, without versions of formats. */
export const EXPECTED = [
  {
    purl: 'pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12',
    name: 'zlib1g',
    version: '1.2',
    digests: {},
    depth: 'direct',
  },
  { purl: 'pkg:npm/debug@4.4.1', name: 'debug', version: '4.4.1', digests: { sha256: HASH.debug }, depth: 'deeper' },
  {
    purl: 'pkg:npm/express@5.1.0',
    name: 'express',
    version: '5.1.0',
    digests: { sha512: HASH.express },
    depth: 'direct',
  },
  { purl: null, name: 'left-pad', version: null, digests: {}, depth: null },
];

export const CYCLONEDX_JSON = (specVersion: string): string =>
  JSON.stringify({
    $schema: `http://cyclonedx.org/schema/bom-${specVersion}.schema.json`,
    bomFormat: 'CycloneDX',
    specVersion,
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    version: 1,
    metadata: {
      timestamp: '2026-01-02T03:04:05Z',
      tools: { components: [{ type: 'application', name: 'maker', version: '1.0' }] },
      component: {
        type: 'application',
        'bom-ref': 'shop',
        name: 'shop',
        version: '1.2',
      },
    },
    components: [
      {
        type: 'library',
        'bom-ref': 'express',
        name: 'express',
        version: '5.1.0',
        purl: 'pkg:npm/express@5.1.0',
        scope: 'required',
        hashes: [{ alg: 'SHA-512', content: HASH.express.toUpperCase() }],
        licenses: [{ license: { id: 'MIT' } }],
      },
      {
        type: 'library',
        'bom-ref': 'debug',
        name: 'debug',
        version: '4.4.1',
        purl: 'pkg:npm/debug@4.4.1',
        hashes: [
          { alg: 'MD5', content: 'ab'.repeat(16) },
          { alg: 'SHA-256', content: HASH.debug },
        ],
      },
      {
        type: 'file',
        'bom-ref': 'base.tar',
        name: 'base.tar',
        hashes: [{ alg: 'SHA-256', content: 'ba'.repeat(32) }],
        components: [
          {
            type: 'library',
            name: 'zlib1g',
            version: '1.2',
            purl: 'pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12',
          },
        ],
      },
      { type: 'library', name: 'left-pad' },
      { type: 'application', name: 'shop', version: '1.2' },
    ],
    services: [{ name: 'payments' }],
    dependencies: [
      { ref: 'shop', dependsOn: ['express', 'base.tar'] },
      { ref: 'express', dependsOn: ['debug'] },
      { ref: 'debug', dependsOn: ['express', 'shop', 'not-in-the-file'] },
    ],
  });

export const CYCLONEDX_XML = (version: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!-- written by a tool -->
<bom xmlns="http://cyclonedx.org/schema/bom/${version}" serialNumber="urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79" version="1">
  <metadata>
    <timestamp>2026-01-02T03:04:05Z</timestamp>
    <component type="application" bom-ref="shop"><name>shop</name><version>1.2</version></component>
  </metadata>
  <components>
    <component type="library" bom-ref="express">
      <name>express</name>
      <version>5.1.0</version>
      <scope>required</scope>
      <hashes><hash alg="SHA-512">${HASH.express.toUpperCase()}</hash></hashes>
      <licenses><license><id>MIT</id></license></licenses>
      <purl>pkg:npm/express@5.1.0</purl>
    </component>
    <component type="library" bom-ref="a&amp;b">
      <name>debug</name>
      <version>4.4.1</version>
      <hashes><hash alg="MD5">${'ab'.repeat(16)}</hash><hash alg="SHA-256">${HASH.debug}</hash></hashes>
      <purl>pkg:npm/debug@4.4.1</purl>
    </component>
    <component type="file" bom-ref="base.tar">
      <name>base.tar</name>
      <components>
        <component type="library">
          <name>zlib1g</name>
          <version>1.2</version>
          <purl><![CDATA[pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12]]></purl>
        </component>
      </components>
    </component>
    <component type="library"><name>left-pad</name></component>
    <component type="application"><name>shop</name><version>1.2</version></component>
  </components>
  <dependencies>
    <dependency ref="shop">
      <dependency ref="base.tar"/>
      <dependency ref="express"><dependency ref="a&#38;b"/></dependency>
    </dependency>
    <dependency ref="a&amp;b"><dependency ref="express"/><dependency ref="shop"/><dependency ref="not-in-the-file"/></dependency>
  </dependencies>
</bom>
`;

const purlRef = (referenceLocator: string) => ({
  referenceCategory: 'PACKAGE-MANAGER',
  referenceType: 'purl',
  referenceLocator,
});
const relationship = (text: string) => {
  const [spdxElementId, relationshipType, relatedSpdxElement] = text.split(' ');
  return { spdxElementId, relationshipType, relatedSpdxElement };
};
const RELATIONSHIPS = [
  'SPDXRef-DOCUMENT DESCRIBES SPDXRef-shop',
  'SPDXRef-shop DEPENDS_ON SPDXRef-express',
  'SPDXRef-shop CONTAINS SPDXRef-base.tar',
  'SPDXRef-zlib CONTAINED_BY SPDXRef-base.tar',
  'SPDXRef-debug RUNTIME_DEPENDENCY_OF SPDXRef-express',
  'SPDXRef-debug DEPENDS_ON SPDXRef-express',
  'SPDXRef-debug DEPENDS_ON SPDXRef-shop',
  'SPDXRef-left-pad DEPENDENCY_OF NOASSERTION',
  'SPDXRef-shop DEPENDS_ON NOASSERTION',
  'SPDXRef-shop DOCUMENTATION_OF SPDXRef-left-pad',
];

export const SPDX_JSON = (version: string): string =>
  JSON.stringify({
    spdxVersion: `SPDX-${version}`,
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'shop',
    documentNamespace: 'https://sbom.example/shop',
    creationInfo: { created: '2026-01-02T03:04:05Z', creators: ['Tool: maker-1.0'] },
    packages: [
      { SPDXID: 'SPDXRef-shop', name: 'shop', versionInfo: '1.2', downloadLocation: 'NOASSERTION' },
      {
        SPDXID: 'SPDXRef-express',
        name: 'express',
        versionInfo: '5.1.0',
        downloadLocation: 'https://packages.example/express-5.1.0.tgz',
        checksums: [{ algorithm: 'SHA512', checksumValue: HASH.express }],
        externalRefs: [
          { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:express' },
          purlRef('pkg:npm/express@5.1.0'),
        ],
      },
      {
        SPDXID: 'SPDXRef-debug',
        name: 'debug',
        versionInfo: '4.4.1',
        downloadLocation: 'NOASSERTION',
        checksums: [
          { algorithm: 'MD5', checksumValue: 'ab'.repeat(16) },
          { algorithm: 'SHA256', checksumValue: HASH.debug },
        ],
        externalRefs: [purlRef('pkg:npm/debug@4.4.1')],
      },
      {
        SPDXID: 'SPDXRef-zlib',
        name: 'zlib1g',
        versionInfo: '1.2',
        downloadLocation: 'NOASSERTION',
        externalRefs: [purlRef('pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12')],
      },
      { SPDXID: 'SPDXRef-left-pad', name: 'left-pad', versionInfo: 'NOASSERTION', downloadLocation: 'NONE' },
    ],
    files: [
      {
        SPDXID: 'SPDXRef-base.tar',
        fileName: './base.tar',
        checksums: [{ algorithm: 'SHA1', checksumValue: 'ba'.repeat(20) }],
      },
    ],
    relationships: RELATIONSHIPS.map(relationship),
  });

export const SPDX_TAGS = (version: string): string => `SPDXVersion: SPDX-${version}
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: shop
DocumentNamespace: https://sbom.example/shop
Creator: Tool: maker-1.0
Created: 2026-01-02T03:04:05Z

PackageName: shop
SPDXID: SPDXRef-shop
PackageVersion: 1.2
PackageDownloadLocation: NOASSERTION

FileName: ./base.tar
SPDXID: SPDXRef-base.tar
FileChecksum: SHA1: ${'ba'.repeat(20)}

# needed by the shop
PackageName: express
SPDXID: SPDXRef-express
PackageVersion: 5.1.0
PackageDownloadLocation: NOASSERTION
PackageChecksum: SHA512: ${HASH.express}
PackageComment: <text>Several lines:
PackageName: not a package
</text>
ExternalRef: SECURITY cpe23Type cpe:2.3:a:express
ExternalRef: PACKAGE-MANAGER purl pkg:npm/express@5.1.0

PackageName: debug
SPDXID: SPDXRef-debug
PackageVersion: 4.4.1
PackageChecksum: MD5: ${'ab'.repeat(16)}
PackageChecksum: SHA256: ${HASH.debug}
ExternalRef: PACKAGE_MANAGER purl pkg:npm/debug@4.4.1

PackageName: zlib1g
SPDXID: SPDXRef-zlib
PackageVersion: 1.2
ExternalRef: PACKAGE-MANAGER purl pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12

PackageName: left-pad
SPDXID: SPDXRef-left-pad
PackageVersion: NOASSERTION

${RELATIONSHIPS.map((text) => `Relationship: ${text}`).join('\n')}
`;

const SPDX_3_ID = 'https://sbom.example/shop#';
const id = (name: string) => `${SPDX_3_ID}${name}`;
const relationship3 = (from: string, relationshipType: string, ...to: string[]) => ({
  type: 'Relationship',
  spdxId: id(`${from}-${relationshipType}`),
  creationInfo: '_:creation',
  from: id(from),
  relationshipType,
  to: to.map(id),
});

export const SPDX_3: string = JSON.stringify({
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    {
      type: 'CreationInfo',
      '@id': '_:creation',
      specVersion: '3.0.1',
      created: '2026-01-02T03:04:05Z',
      createdBy: [id('maker')],
    },
    { type: 'Organization', spdxId: id('maker'), name: 'maker', creationInfo: '_:creation' },
    {
      type: 'SpdxDocument',
      spdxId: id('document'),
      rootElement: [id('sbom')],
      profileConformance: ['core', 'software'],
    },
    { type: 'software_Sbom', spdxId: id('sbom'), rootElement: [id('shop')], software_sbomType: ['build'] },
    { type: 'software_Package', spdxId: id('shop'), name: 'shop', software_packageVersion: '1.2' },
    {
      type: 'software_Package',
      spdxId: id('express'),
      name: 'express',
      software_packageVersion: '5.1.0',
      software_packageUrl: 'pkg:npm/express@5.1.0',
      verifiedUsing: [
        { type: 'PackageVerificationCode', algorithm: 'sha1', hashValue: 'ab'.repeat(20) },
        { type: 'Hash', algorithm: 'sha512', hashValue: HASH.express },
      ],
    },
    {
      type: 'software_Package',
      spdxId: id('debug'),
      name: 'debug',
      software_packageVersion: '4.4.1',
      externalIdentifier: [
        { type: 'ExternalIdentifier', externalIdentifierType: 'cpe23', identifier: 'cpe:2.3:a:debug' },
        { type: 'ExternalIdentifier', externalIdentifierType: 'packageUrl', identifier: 'pkg:npm/debug@4.4.1' },
      ],
      verifiedUsing: ['_:hash'],
    },
    { type: 'Hash', '@id': '_:hash', algorithm: 'sha256', hashValue: HASH.debug },
    { type: 'software_File', spdxId: id('base.tar'), name: 'base.tar' },
    {
      type: 'software_Package',
      spdxId: id('zlib'),
      name: 'zlib1g',
      software_packageVersion: '1.2',
      software_packageUrl: 'pkg:deb/debian/zlib1g@1.2?arch=amd64&distro=debian-12',
    },
    { type: 'software_Package', spdxId: id('left-pad'), name: 'left-pad' },
    relationship3('shop', 'dependsOn', 'express'),
    relationship3('shop', 'contains', 'base.tar'),
    relationship3('base.tar', 'contains', 'zlib'),
    { ...relationship3('express', 'dependsOn', 'debug'), type: 'LifecycleScopedRelationship', scope: 'runtime' },
    relationship3('debug', 'dependsOn', 'express', 'shop'),
    relationship3('shop', 'hasDocumentation', 'left-pad'),
  ],
});
