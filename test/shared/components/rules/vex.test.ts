import { describe, expect, test } from 'vitest';
import { isPart, productsThatAre, readVexStatements, type VexStatement } from '#shared/components/rules/vex.ts';

/** rules/components.md#said-not-to-be-affected */

const FINGERPRINT = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

const document = (...statements: object[]): unknown => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://acme.example/vex-1',
  author: 'Acme',
  timestamp: '2026-11-01T00:00:00Z',
  version: 1,
  statements,
});

const STATEMENT = {
  vulnerability: { name: 'CVE-2026-0001', aliases: ['GHSA-aaaa'] },
  products: [
    { '@id': 'pkg:oci/web', hashes: { 'sha-256': FINGERPRINT }, subcomponents: [{ '@id': 'pkg:npm/lodash@4.17.20' }] },
  ],
  status: 'not_affected',
  justification: 'vulnerable_code_not_in_execute_path',
};

function statementOf(fields: object): VexStatement {
  const [statement] = readVexStatements(document({ ...STATEMENT, ...fields })) ?? [];
  if (statement === undefined) throw new Error('The statement was not read');
  return statement;
}

describe('readVexStatements', () => {
  test('reads what a statement says, of whom and since when', () => {
    expect(readVexStatements(document(STATEMENT))).toMatchObject([
      {
        vulnerabilities: ['CVE-2026-0001', 'GHSA-aaaa'],
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
        statedAt: '2026-11-01T00:00:00Z',
        products: [{ id: 'pkg:oci/web', sha256: FINGERPRINT, subcomponents: [{ purl: { name: 'lodash' } }] }],
      },
    ]);
  });

  test('the time and the sentence of a statement are its own if it has them', () => {
    const own = { justification: null, impact_statement: 'Not called', timestamp: '2026-11-02T00:00:00Z' };
    expect(statementOf(own)).toMatchObject({ justification: 'Not called', statedAt: '2026-11-02T00:00:00Z' });
  });

  test('reads documents in which things are texts', () => {
    const old = {
      vulnerability: 'CVE-2026-0001',
      products: [`pkg:oci/web@sha256:${FINGERPRINT}`],
      subcomponents: ['pkg:npm/lodash'],
    };
    const statement = statementOf(old);
    expect(statement.vulnerabilities).toEqual(['CVE-2026-0001']);
    expect(productsThatAre(statement, FINGERPRINT, false)).toMatchObject([
      { subcomponents: [{ purl: { name: 'lodash' } }] },
    ]);
  });

  test.each([
    ['a status that is not known', { status: 'perhaps' }],
    ['a product that is no product', { products: [STATEMENT.products[0], 5] }],
    ['a part that is no part', { products: [{ '@id': 'pkg:oci/web', subcomponents: [5] }] }],
    ['no vulnerability', { vulnerability: {} }],
  ])('a statement with %s says nothing, and the others count', (_, fields) => {
    expect(readVexStatements(document({ ...STATEMENT, ...fields }, STATEMENT))).toHaveLength(1);
  });

  test.each([[null], ['text'], [{}], [{ statements: {} }]])('%j is no document', (predicate) => {
    expect(readVexStatements(predicate)).toBeNull();
  });
});

describe('productsThatAre', () => {
  test.each([
    ['a digest', { hashes: { 'sha-256': FINGERPRINT.toUpperCase() } }, true],
    ['another digest', { hashes: { 'sha-256': OTHER } }, false],
    ['a package URL with the digest', { identifiers: { purl: `pkg:oci/web@sha256:${FINGERPRINT}` } }, true],
    ['a package URL with an encoded digest', { '@id': `pkg:oci/web@sha256%3A${FINGERPRINT}?tag=v1` }, true],
    ['a package URL of another artifact', { identifiers: { purl: `pkg:oci/web@sha256:${OTHER}` } }, false],
    ['a name that ends in the digest', { '@id': `ghcr.io/acme/web@sha256:${FINGERPRINT}` }, true],
    ['a name that has the digest in it', { '@id': `ghcr.io/sha256:${FINGERPRINT}/web` }, false],
    ['a name alone', { '@id': 'ghcr.io/acme/web:v1' }, false],
  ])('a product with %s', (_, product, isSo) => {
    expect(productsThatAre(statementOf({ products: [product] }), FINGERPRINT, true) !== null).toBe(isSo);
  });

  test('a statement without products is about the subjects of its attestation', () => {
    const statement = statementOf({ products: undefined });
    expect(productsThatAre(statement, FINGERPRINT, true)).toEqual([]);
    expect(productsThatAre(statement, FINGERPRINT, false)).toBeNull();
  });
});

describe('isPart', () => {
  test.each([
    ['pkg:npm/lodash', 'pkg:npm/lodash@4.17.20', true],
    ['pkg:npm/lodash@v4.17.20', 'pkg:npm/Lodash@4.17.20', true],
    ['pkg:npm/lodash@4.17.20', 'pkg:npm/lodash@4.17.21', false],
    ['pkg:npm/lodash@4.17.20', 'pkg:npm/lodash', false],
    ['pkg:npm/lodash', 'pkg:npm/underscore@1.0.0', false],
    ['pkg:deb/debian/curl@7?arch=amd64', 'pkg:deb/debian/curl@7?arch=amd64&distro=x', true],
    ['pkg:deb/debian/curl@7?arch=amd64', 'pkg:deb/debian/curl@7', false],
    ['lodash', 'pkg:npm/lodash@4.17.20', false],
    ['pkg:npm/lodash', null, false],
  ])('the part %j and the component %j: %j', (part, purl, isSo) => {
    const [product] = statementOf({ products: [{ '@id': 'web', subcomponents: [{ '@id': part }] }] }).products;
    const [named] = product?.subcomponents ?? [];
    if (named === undefined) throw new Error('The part was not read');
    expect(isPart(named, { purl, version: null })).toBe(isSo);
  });
});
