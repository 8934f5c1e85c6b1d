import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readSbom } from '#shared/evidence/rules/sbom/read-sbom.ts';
import {
  cycloneDxJson,
  cycloneDxXml,
  SPDX_3_JSON,
  SPDX_JSON,
  SPDX_TAGS,
  SUBJECT,
} from '#test/support/records/sboms.ts';

const read = (text: string) => readSbom(Buffer.from(text));
const found = (text: string) => read(text).read;
const cdx = (fields: object) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', ...fields });
const xml = (content: string) => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${content}</bom>`;
const spdx = (fields: object) => JSON.stringify({ spdxVersion: 'SPDX-2.3', SPDXID: 'SPDXRef-DOCUMENT', ...fields });
const MEGABYTE = 1024 * 1024;

describe('a file is read', () => {
  test.each(['1.4', '1.5', '1.6'])('a file is read in CycloneDX %s, JSON and XML alike', async (version) => {
    const summary = { format: `cyclonedx-${version}`, subject: SUBJECT, package_count: 2 };
    expect(found(cycloneDxJson(version))).toEqual(summary);
    expect(found(cycloneDxXml(version))).toEqual(summary);
    expect(found(cycloneDxXml(version, 'c:'))).toEqual(summary);
  });

  test('a file is read in SPDX 2.3, JSON and tags alike, with each end of line', async () => {
    const summary = { format: 'spdx-2.3', subject: SUBJECT, package_count: 2 };
    expect(found(SPDX_JSON)).toEqual(summary);
    expect(found(SPDX_TAGS)).toEqual(summary);
    expect(found(SPDX_TAGS.replaceAll('\n', '\r\n'))).toEqual(summary);
  });

  test('a file is read in SPDX 3.0', () => {
    expect(found(SPDX_3_JSON)).toEqual({ format: 'spdx-3.0', subject: SUBJECT, package_count: 2 });
    const bare = '{"@context":["https://spdx.org/rdf/3.0.0/spdx-context.jsonld",{"a":"b"}],"type":"Agent","name":"a"}';
    expect(found(bare)).toEqual({ format: 'spdx-3.0', subject: null, package_count: 0 });
  });

  test('a file is read with a byte order mark and white space before it', async () => {
    expect(found(`\ufeff\n ${cdx({})}`)).toEqual({ format: 'cyclonedx-1.6', subject: null, package_count: 0 });
  });

  test('a file is read without a subject where it names none, or several', async () => {
    const packages = [
      { name: 'a', SPDXID: 'A' },
      { name: 'b', SPDXID: 'B' },
    ];
    expect(found(spdx({ packages }))).toMatchObject({ subject: null });
    expect(found(spdx({ packages, documentDescribes: ['A', 'B'] }))).toMatchObject({ subject: null });
    expect(found(spdx({ packages, documentDescribes: ['B'] }))).toMatchObject({ subject: { name: 'b' } });
    const relationships = [
      { spdxElementId: 'A', relationshipType: 'DESCRIBED_BY', relatedSpdxElement: 'SPDXRef-DOCUMENT' },
    ];
    expect(found(spdx({ packages, relationships }))).toMatchObject({ subject: { name: 'a' } });
    expect(found(spdx({ packages: packages.slice(1) }))).toMatchObject({ subject: { name: 'b' } });
    expect(found(cdx({ metadata: { component: { name: ' ' } } }))).toMatchObject({ subject: null });
  });

  test('although fields have other types than the format says', async () => {
    const components = [7, null, { name: 'a', components: 'none' }];
    expect(found(cdx({ metadata: 7, components }))).toMatchObject({ subject: null, package_count: 3 });
    expect(found(cdx({ components: { 0: {} } }))).toMatchObject({ package_count: 0 });
    expect(found(spdx({ packages: 'x', relationships: [null] }))).toMatchObject({ package_count: 0 });
    expect(found(xml('<components><component/><component/>text</components>'))).toMatchObject({
      package_count: 2,
    });
    expect(found(xml('<metadata/><components/>'))).toMatchObject({ subject: null, package_count: 0 });
  });

  test('a file is read with names that would be properties of every object', async () => {
    const names = '<components><__proto__><component/></__proto__><constructor/><component/></components>';
    expect(read(xml(names)).read?.package_count ?? 0).toBeLessThanOrEqual(1);
    expect(found(cdx({ ['__proto__']: { components: [{}] } }))).toMatchObject({ package_count: 0 });
  });

  test('a file is read with texts that are cut between code points, and are well-formed', async () => {
    const name = found(cdx({ metadata: { component: { name: `${'a'.repeat(1023)}😀😀` } } }))?.subject?.name;
    expect(name).toBe(`${'a'.repeat(1023)}😀`);
    const half = `{"bomFormat":"CycloneDX","specVersion":"1.6","metadata":{"component":{"name":"a\\ud83d"}}}`;
    expect(found(half)?.subject?.name).toBe('a\ufffd');
  });

  test('a file is read without references that XML does not define', async () => {
    const subject = xml(
      '<metadata><component><name>&lt;a&gt; &#65;&#x42; &unknown; &amp;amp;</name></component></metadata>',
    );
    expect(found(subject)?.subject?.name).toBe('<a> AB &unknown; &amp;');
  });
});

describe('a file that cannot be read says why', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['nothing', '', /neither CycloneDX nor SPDX/],
    ['a text', 'hello', /neither CycloneDX nor SPDX/],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00]), /not UTF-8/],
    ['a compressed SBOM', gzipSync(cycloneDxJson('1.6')), /not UTF-8/],
    ['half a JSON', cycloneDxJson('1.6').slice(0, -1), /^Invalid JSON$/],
    ['another JSON', '{}', /neither CycloneDX \(bomFormat\) nor SPDX 2 \(spdxVersion\) nor SPDX 3/],
    ['UTF-16', Buffer.from(cycloneDxJson('1.6'), 'utf16le'), /^The file is UTF-16 and not UTF-8 text/],
    ['SPDX 3.1', '{"@context":"https://spdx.org/rdf/3.1/spdx-context.jsonld"}', /^SPDX 3.1 cannot be read/],
    ['another JSON-LD', '{"@context":"https://schema.example/context.jsonld"}', /nor SPDX 3.0 \(@context\)$/],
    ['SPDX of a later version', spdx({ spdxVersion: 'SPDX-3.0' }), /not of version 2/],
    ['tags of a later version', 'SPDXVersion: SPDX-3.0\n', /not of version 2/],
    ['CycloneDX without a version', '{"bomFormat":"CycloneDX"}', /no specVersion/],
    ['half an XML', cycloneDxXml('1.6').slice(0, -8), /^The XML cannot be read: /],
    ['another XML', '<x/>', /root is not bom/],
    ['bom of another namespace', '<bom xmlns="http://maven.apache.org/bom"/>', /no namespace of CycloneDX/],
    ['an XML with an entity', `<!DOCTYPE bom [<!ENTITY a "b">]>${xml('&a;')}`, /DOCTYPE/],
    [
      'a DOCTYPE behind a comment',
      `<?xml version="1.0"?>\n<!-- a --><!DOCTYPE bom SYSTEM "file:///etc/passwd">${xml('')}`,
      /DOCTYPE/,
    ],
    ['deep JSON', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, /nested deeper than 250/],
    ['deep XML', xml(`${'<components><component>'.repeat(200)}${'</component></components>'.repeat(200)}`), /nested/i],
  ])('%s', async (_, file, why) => {
    const reading = readSbom(Buffer.from(file));
    expect(reading).toEqual({ read: null, unreadable: expect.stringMatching(why) });
  });

  test.each<[string, string]>([
    ['JSON nested 10 MB deep', `{"a":${'['.repeat(10 * MEGABYTE)}`],
    ['JSON of empty lists', `{"a":[${'[],'.repeat(3 * MEGABYTE)}[]]}`],
    ['XML nested 10 MB deep', xml('<a>'.repeat(3 * MEGABYTE))],
    ['XML of empty elements', xml('<a/>'.repeat(2.5 * MEGABYTE))],
    ['entities in entities', `<!DOCTYPE bom [<!ENTITY a "${'b'.repeat(1000)}">]>${xml('&a;'.repeat(3 * MEGABYTE))}`],
  ])('a file that goes beyond the limits says why: %s', async (_, text) => {
    expect(read(text).unreadable).toMatch(/nested deeper|more than 1000000 elements|DOCTYPE/);
  });
});
