import { describe, expect, test } from 'vitest';
import { readComponents } from '#shared/components/rules/read/read-components.ts';
import { CYCLONEDX_JSON, CYCLONEDX_XML, SPDX_JSON, SPDX_TAGS } from './documents.ts';

const MEGABYTE = 1024 * 1024;
const read = (text: string) => readComponents(Buffer.from(text));
const cdx = (fields: object) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', ...fields });
const xml = (content: string) => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${content}</bom>`;
const spdx = (fields: object) => JSON.stringify({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', ...fields });
const component = (fields: object) => cdx({ components: [fields] });
const first = (text: string) => read(text).read?.components[0];

describe('an SBOM whose components cannot be read says why', () => {
  test.each<[string, string | Buffer, string | RegExp]>([
    ['nothing', '', /^The file is neither CycloneDX nor SPDX/],
    [
      'UTF-16 with a mark',
      Buffer.from(`\ufeff${CYCLONEDX_JSON('1.6')}`, 'utf16le'),
      /^The file is UTF-16 and not UTF-8/,
    ],
    ['UTF-16 without a mark', Buffer.from(CYCLONEDX_XML('1.6'), 'utf16le'), /^The file is UTF-16 and not UTF-8/],
    [
      'UTF-16 in big-endian order',
      Buffer.from(SPDX_JSON('2.3'), 'utf16le').swap16(),
      /^The file is UTF-16 and not UTF-8/,
    ],
    ['Latin-1', Buffer.from(SPDX_TAGS('2.3').replace('shop', 'sh\u00f6p'), 'latin1'), 'The file is not UTF-8 text'],
    [
      'a later CycloneDX',
      cdx({ specVersion: '1.8' }),
      'Components of CycloneDX 1.8 cannot be read. Versions 1.0 to 1.7 can',
    ],
    [
      'a later SPDX 2',
      spdx({ spdxVersion: 'SPDX-2.4' }),
      'Components of SPDX 2.4 cannot be read. Versions 2.0 to 2.3 and 3.0 can',
    ],
    [
      'a later SPDX 3',
      '{"@context":"https://spdx.org/rdf/3.1/spdx-context.jsonld"}',
      'SPDX 3.1 cannot be read. SPDX 2 and SPDX 3.0 can',
    ],
    ['components that are no list', cdx({ components: { 0: {} } }), 'The field components is not a list of components'],
    [
      'components of XML that are a text',
      xml('<components>a</components>'),
      'The field components is not a list of components',
    ],
    ['packages that are no list', spdx({ packages: 'a' }), 'The packages of the document are not a list'],
    [
      'a graph that is no list',
      '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":{}}',
      'The packages of the document are not a list',
    ],
    [
      'a component without a name',
      component({ 'bom-ref': 'x\u0007', name: ' ' }),
      'A component has neither a name nor a package URL. Its reference is x\ufffd',
    ],
    [
      'a component that is a number',
      cdx({ components: [7] }),
      'A component has neither a name nor a package URL. Its reference is missing too',
    ],
    [
      'an empty element',
      xml('<components><component/></components>'),
      /^A component has neither a name nor a package URL/,
    ],
    [
      'two names of one component',
      xml('<components><component><name>a</name><name>b</name></component></components>'),
      /^A component has neither/,
    ],
    [
      'a package that is null',
      spdx({ packages: [null, { name: 'a' }] }),
      /^A component has neither a name nor a package URL/,
    ],
    ['an entity', `<!DOCTYPE bom [<!ENTITY a "b">]>${xml('&a;')}`, /DOCTYPE/],
    [
      'JSON nested too deep',
      component(JSON.parse(`${'{"components":['.repeat(130)}${']}'.repeat(130)}`)),
      /nested deeper than 250/,
    ],
    [
      'XML nested too deep',
      xml('<components><component>'.repeat(130) + '</component></components>'.repeat(130)),
      /nested/i,
    ],
    [
      'a package URL that is too long',
      component({ purl: `pkg:npm/${'a'.repeat(1017)}` }),
      /^A package URL has more than 1024 characters: pkg:npm\/a+…$/,
    ],
  ])('%s', (_, file, why) => {
    const { read: components, unreadable } = readComponents(Buffer.from(file));
    expect(components).toBeNull();
    expect(unreadable).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });
});

describe('limits', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}`, SPDXID: `n${i}` }));

  test.each<[string, (count: number) => string]>([
    ['CycloneDX', (count) => cdx({ components: many(count) })],
    [
      'tags',
      (count) =>
        `SPDXVersion: SPDX-2.3\n${many(count)
          .map(({ name }) => `PackageName: ${name}`)
          .join('\n')}`,
    ],
  ])('an SBOM of %s may have 50,000 components, and one more is named as the limit', (_, write) => {
    expect(read(write(50_000)).read?.components).toHaveLength(50_000);
    expect(read(write(50_001)).unreadable).toBe('The SBOM has more than 50000 components');
  });

  test('a component of the depth limit is read', () => {
    let inner: object = { name: 'n0' };
    for (let i = 1; i < 120; i += 1) inner = { name: `n${i}`, components: [inner] };
    expect(read(component(inner)).read?.components).toHaveLength(120);
  });

  test('names and versions are cut after 1,024 characters, and never inside a character', () => {
    const name = `${'a'.repeat(1023)}\ud83d\ude00${'b'.repeat(MEGABYTE)}`;
    expect(first(component({ name, version: name }))).toMatchObject({
      name: `${'a'.repeat(1023)}\ud83d\ude00`,
      version: `${'a'.repeat(1023)}\ud83d\ude00`,
    });
    expect(first(component({ group: 'g'.repeat(MEGABYTE), name: 'a' }))?.name).toBe('g'.repeat(1024));
  });

  test('control characters and halves of characters are replaced', () => {
    const json = component({ name: 'a\u0000b\u001b[31m\u0085', version: '1\u007f2', purl: 'pkg:npm/a\u0000@1' });
    expect(first(json)).toMatchObject({
      ...{ name: 'a\ufffdb\ufffd[31m\ufffd', version: '1\ufffd2', purl: 'pkg:npm/a\ufffd@1' },
    });
    expect(first(xml('<components><component><name>a&#7;&#xd800;b</name></component></components>'))?.name).toBe(
      'a\ufffd\ufffdb',
    );
  });
});

describe('fields of other types than the format says', () => {
  test('fields with other types are left out', () => {
    const fields = { name: 'a', version: 7, purl: ['pkg:npm/a@1'], group: {}, hashes: [null, { alg: 7, content: {} }] };
    expect(first(component({ ...fields, 'bom-ref': 7 }))).toEqual({
      ...{ purl: null, name: 'a', version: null, digests: {}, depth: null },
    });
  });

  test('objects that have no text are no reason to fail', () => {
    const without = { toString: 1, valueOf: 1 };
    const relationships = [{ spdxElementId: without, relationshipType: without, relatedSpdxElement: without }];
    const one = { name: 'a', SPDXID: without, versionInfo: without, externalRefs: [without], checksums: [without] };
    expect(first(spdx({ packages: [one, one], relationships }))?.name).toBe('a');
    const checksums = [{ algorithm: without, checksumValue: without }];
    expect(read(spdx({ packages: [{ ...one, checksums }] })).unreadable).toBeNull();
    expect(read(cdx({ dependencies: [{ ref: without, dependsOn: [without] }] })).unreadable).toBeNull();
    const context = [without, 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld'];
    const graph = [
      { type: without, spdxId: without, rootElement: without },
      { type: 'Relationship', to: without },
    ];
    expect(read(JSON.stringify({ '@context': context, '@graph': graph })).unreadable).toBeNull();
    expect(read(JSON.stringify({ '@context': without })).unreadable).toMatch(/^The JSON is neither/);
  });

  test('names of properties of every object are names like others', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const components = names.map((name) => ({ name, 'bom-ref': name }));
    const dependencies = [{ ref: 'hasOwnProperty', dependsOn: names }];
    const metadata = { component: { name: 'shop', 'bom-ref': 'hasOwnProperty' } };
    expect(read(cdx({ metadata, components, dependencies })).read?.components).toEqual(
      names.map((name) => ({ purl: null, name, version: null, digests: {}, depth: 'direct' })),
    );
  });
});

/** The timeout of tests bounds the time. Work that grows with the square of the size would exceed it by far. */
describe('files of 10 MB that are made to be slow', () => {
  const filled = (part: string) => part.repeat(Math.floor((9.5 * MEGABYTE) / part.length));
  const chain = Array.from({ length: 45_000 }, (_, i) => ({ name: `n${i}`, 'bom-ref': `n${i}` }));
  const metadata = { component: { name: 'shop', 'bom-ref': 'n0x' } };

  test('a chain of 45,000 dependencies with a circle at its end has depths', () => {
    const next = chain.map((_, i) => ({ ref: `n${i}`, dependsOn: [`n${(i + 1) % chain.length}`] }));
    const dependencies = [{ ref: 'n0x', dependsOn: ['n0'] }, ...next];
    const components = read(cdx({ metadata, components: chain, dependencies })).read?.components ?? [];
    expect(Map.groupBy(components, ({ depth }) => depth).get('deeper')).toHaveLength(chain.length - 1);
  });

  test.each<[string, string]>([
    ['relationships', `SPDXVersion: SPDX-2.3\nPackageName: a\n${filled('Relationship: a DEPENDS_ON a\n')}`],
    ['empty lines', `SPDXVersion: SPDX-2.3\n${filled('\n')}`],
    ['packages of one name', `SPDXVersion: SPDX-2.3\n${filled('PackageName: a\n')}`],
    ['one line of spaces', `SPDXVersion: SPDX-2.3\nPackageName: a\nExternalRef: ${filled(' ')}x`],
    ['a type of one letter', `SPDXVersion: SPDX-2.3\nRelationship: a ${filled('A')} b`],
    ['one dependency', cdx({ metadata, dependencies: [{ ref: 'n0x', dependsOn: Array(2_450_000).fill('n') }] })],
    ['ampersands', xml(`<components><component><name>${filled('&amp;')}</name></component></components>`)],
  ])('a file of %s and nothing else is read', (_, text) => {
    expect(text.length).toBeGreaterThan(9 * MEGABYTE);
    expect(read(text).unreadable).toBeNull();
  });
});
