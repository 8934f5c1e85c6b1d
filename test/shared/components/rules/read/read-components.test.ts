import { describe, expect, test } from 'vitest';
import { readComponents, readComponentsOf } from '#shared/components/rules/read/read-components.ts';
import { CYCLONEDX_JSON, CYCLONEDX_XML, EXPECTED, SPDX_3, SPDX_JSON, SPDX_TAGS } from './documents.ts';

const read = (text: string) => readComponents(Buffer.from(text));
const found = (text: string) => {
  const { read: components, unreadable } = read(text);
  expect(unreadable).toBeNull();
  return components?.components ?? [];
};
const cdx = (fields: object) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', ...fields });
const xml = (content: string) => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${content}</bom>`;
const spdx = (fields: object) => JSON.stringify({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', ...fields });
const spdx3 = (...graph: object[]) =>
  JSON.stringify({ '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': graph });
const names = (text: string) => found(text).map(({ name }) => name);
const depths = (text: string) => Object.fromEntries(found(text).map(({ name, depth }) => [name, depth]));

describe('the components of a document as tools write it', () => {
  test.each<[string, string]>([
    ...['1.4', '1.5', '1.6', '1.7'].flatMap((version): [string, string][] => [
      [`cyclonedx-${version}`, CYCLONEDX_JSON(version)],
      [`cyclonedx-${version}`, CYCLONEDX_XML(version)],
    ]),
    ...['2.2', '2.3'].flatMap((version): [string, string][] => [
      [`spdx-${version}`, SPDX_JSON(version)],
      [`spdx-${version}`, SPDX_TAGS(version)],
      [`spdx-${version}`, SPDX_TAGS(version).replaceAll('\n', '\r\n')],
    ]),
    ['spdx-3.0', SPDX_3],
  ])('components are read in %s', (format, text) => {
    expect(read(text)).toEqual({ read: { format, components: EXPECTED }, unreadable: null });
    expect(read(`\ufeff${text}`).read?.components).toEqual(EXPECTED);
  });

  test('components are read of a predicate, of its text and of its member Data', () => {
    const document: unknown = JSON.parse(CYCLONEDX_JSON('1.5'));
    for (const predicate of [document, CYCLONEDX_JSON('1.5'), { Data: document }, { Data: SPDX_TAGS('2.3') }]) {
      expect(readComponentsOf(predicate).read?.components).toEqual(EXPECTED);
    }
    expect(readComponentsOf(JSON.parse(SPDX_3)).read?.format).toBe('spdx-3.0');
    expect(readComponentsOf(null).unreadable).toMatch(/^The JSON is neither CycloneDX/);
  });
});

describe('components of CycloneDX', () => {
  test('a group stands in front of the name', () => {
    expect(names(cdx({ components: [{ group: '@babel', name: 'core' }] }))).toEqual(['@babel/core']);
    expect(names(xml('<components><component><group>a.b</group><name>c</name></component></components>'))).toEqual([
      'a.b/c',
    ]);
  });

  test('a component inside another one is deeper, and one inside the subject is direct', () => {
    const components = [{ name: 'outer', components: [{ name: 'inner' }] }];
    expect(depths(cdx({ components }))).toEqual({ outer: null, inner: null });
    expect(depths(cdx({ metadata: { component: { name: 'shop', components } } }))).toEqual({
      outer: 'direct',
      inner: 'deeper',
    });
  });

  test('a file with a package URL is a component, and what a file contains is one too', () => {
    const components = [
      { type: 'file', name: 'a.jar', purl: 'pkg:maven/a/a@1' },
      { type: 'file', name: 'b.jar', components: [{ type: 'library', name: 'b' }] },
    ];
    expect(names(cdx({ components }))).toEqual(['a.jar', 'b']);
  });

  test('a document without a subject or without dependencies says no depth', () => {
    const components = [{ name: 'a', 'bom-ref': 'a' }];
    expect(depths(cdx({ components, dependencies: [{ ref: 'shop', dependsOn: ['a'] }] }))).toEqual({ a: null });
    expect(depths(cdx({ components, metadata: { component: { name: 'shop', 'bom-ref': 'shop' } } }))).toEqual({
      a: null,
    });
  });

  test('a component of the name and the version of the subject is the subject, and one with its reference is not', () => {
    const component = { name: 'shop', version: '1', 'bom-ref': 'shop' };
    const components = [
      { name: 'shop', version: '1' },
      { name: 'other', 'bom-ref': 'shop' },
    ];
    expect(names(cdx({ metadata: { component }, components }))).toEqual(['other']);
  });

  test('a component without a name has its package URL as name', () => {
    expect(names(cdx({ components: [{ purl: 'pkg:npm/a@1' }] }))).toEqual(['pkg:npm/a@1']);
  });

  test('repeated elements of XML are all read', () => {
    const list = (name: string) => `<components><component><name>${name}</name></component></components>`;
    expect(names(xml(`${list('a')}<components/>${list('b')}`))).toEqual(['a', 'b']);
  });

  test('the last one of repeated keys of JSON counts', () => {
    expect(
      names('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"a"}],"components":[{"name":"b"}]}'),
    ).toEqual(['b']);
  });
});

describe('components of SPDX', () => {
  const packages = ['a', 'b', 'c'].map((name) => ({ name, SPDXID: name }));

  test('a document that describes several packages has all of them as components, without a depth', () => {
    const relationships = [{ spdxElementId: 'a', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'c' }];
    expect(depths(spdx({ packages, documentDescribes: ['a', 'b'], relationships }))).toEqual({
      a: null,
      b: null,
      c: null,
    });
    expect(depths(spdx({ packages, relationships }))).toEqual({ a: null, b: null, c: null });
  });

  test('the only package is the subject', () => {
    expect(names(spdx({ packages: packages.slice(1, 2) }))).toEqual([]);
  });

  test('a package with several package URLs is a component for each', () => {
    const externalRefs = ['pkg:npm/a@1', 'pkg:github/a/a@1'].map((referenceLocator) => ({
      referenceType: 'http://spdx.org/rdf/references/purl',
      referenceLocator,
    }));
    const text = spdx({ packages: [...packages, { name: 'd', SPDXID: 'd', externalRefs }], documentDescribes: ['a'] });
    expect(found(text).flatMap(({ purl }) => purl ?? [])).toEqual(['pkg:github/a/a@1', 'pkg:npm/a@1']);
  });

  test('a document of SPDX 3 may describe its subject by a relationship, and may write single values without a list', () => {
    const text = spdx3(
      { '@type': 'SpdxDocument', '@id': 'document' },
      { type: 'Relationship', from: 'document', relationshipType: 'describes', to: 'a' },
      { type: ['software_Package'], spdxId: 'a', name: 'a' },
      {
        type: 'ai_AIPackage',
        spdxId: 'b',
        name: 'b',
        verifiedUsing: { type: 'Hash', algorithm: 'sha1', hashValue: 'c'.repeat(40) },
      },
      { type: 'Relationship', from: 'a', relationshipType: 'hasStaticLink', to: 'b' },
    );
    expect(found(text)).toEqual([
      { purl: null, name: 'b', version: null, digests: { sha1: 'c'.repeat(40) }, depth: 'direct' },
    ]);
  });

  test('a document of SPDX 3 with roots in a circle has no subject', () => {
    const text = spdx3(
      { type: 'SpdxDocument', spdxId: 'one', rootElement: ['two'] },
      { type: 'software_Sbom', spdxId: 'two', rootElement: ['one', 'two'] },
      { type: 'software_Package', spdxId: 'a', name: 'a' },
      { type: 'software_Package', spdxId: 'b', name: 'b' },
    );
    expect(names(text)).toEqual(['a', 'b']);
  });
});
