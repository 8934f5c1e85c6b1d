import { describe, expect, test } from 'vitest';
import type { Fingerprint } from '#shared/base/ids.ts';
import { readVex, readVexDocument, type VexRead, type VexStatement } from '#shared/components/rules/vex.ts';
import { MOST_ENTRIES, vexEntries } from '#shared/components/rules/vex-entries.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';

/** rules/components.md#said-not-to-be-affected */

const FINGERPRINT = 'ab'.repeat(32) as Fingerprint;
const OTHER = 'cd'.repeat(32) as Fingerprint;

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

function readOf(value: unknown): VexRead {
  const { read, unreadable } = readVexDocument(value, null);
  if (read === null) throw new Error(unreadable);
  return read;
}

function statementOf(fields: object): VexStatement {
  const [statement] = readOf(document({ ...STATEMENT, ...fields })).statements;
  if (statement === undefined) throw new Error('The statement was not read');
  return statement;
}

describe('readVexDocument', () => {
  test('reads what a statement says, of whom and since when', () => {
    expect(readOf(document(STATEMENT))).toMatchObject({
      leftOut: 0,
      statements: [
        {
          vulnerabilities: ['CVE-2026-0001', 'GHSA-aaaa'],
          status: 'not_affected',
          justification: 'vulnerable_code_not_in_execute_path',
          statedAt: Date.parse('2026-11-01T00:00:00Z') / 1000,
          products: [{ sha256: [FINGERPRINT], subcomponents: [{ purl: { name: 'lodash' } }] }],
        },
      ],
    });
  });

  test('the time and the sentence of a statement are its own if it has them', () => {
    const own = { justification: null, impact_statement: 'Not called', timestamp: '2026-11-02T01:00:00+01:00' };
    expect(statementOf(own)).toMatchObject({
      justification: 'Not called',
      statedAt: Date.parse('2026-11-02T00:00:00Z') / 1000,
    });
  });

  test.each([['yesterday'], ['1'], ['2026-13-01T00:00:00Z'], [null]])(
    '%j is no time, and that of the document counts',
    (timestamp) => {
      expect(statementOf({ timestamp }).statedAt).toBe(Date.parse('2026-11-01T00:00:00Z') / 1000);
    },
  );

  test('texts have a greatest length, and a vulnerability at most 20 names', () => {
    const aliases = Array.from({ length: 30 }, (_, i) => `GHSA-${i}`);
    const { justification, vulnerabilities } = statementOf({
      vulnerability: { name: 'CVE-2026-0001', aliases },
      justification: `${'x'.repeat(999)}\u{1f600}`,
    });
    expect([justification, vulnerabilities.length]).toEqual(['x'.repeat(999), 20]);
  });

  test('reads documents in which things are texts', () => {
    const statement = statementOf({
      vulnerability: 'CVE-2026-0001',
      products: [`pkg:oci/web@sha256:${FINGERPRINT}`],
      subcomponents: ['pkg:npm/lodash'],
    });
    expect(statement).toMatchObject({
      vulnerabilities: ['CVE-2026-0001'],
      products: [{ sha256: [FINGERPRINT], subcomponents: [{ purl: { name: 'lodash' } }] }],
    });
  });

  test.each([
    ['a status that is not known', { status: 'perhaps' }],
    ['a product that is no product', { products: [STATEMENT.products[0], 5] }],
    ['a part that is no part', { products: [{ '@id': 'pkg:oci/web', subcomponents: [5] }] }],
    ['no vulnerability', { vulnerability: {} }],
    ['an empty name of its vulnerability', { vulnerability: ' ' }],
    ['a name of 101 characters', { vulnerability: 'C'.repeat(101) }],
  ])('a statement with %s says nothing, and the others count', (_, fields) => {
    const { statements, leftOut } = readOf(document({ ...STATEMENT, ...fields }, STATEMENT));
    expect([statements.length, leftOut]).toEqual([1, 1]);
  });

  test.each([[null], ['text'], [{}], [{ statements: {} }]])('%j is no document', (predicate) => {
    const unreadable = 'The document is no OpenVEX: it has no list of statements';
    expect(readVexDocument(predicate, null)).toEqual({ read: null, unreadable });
  });

  test.each([
    ['https://openvex.dev/ns', true],
    ['https://openvex.dev/ns/v0.0.1', true],
    ['https://openvex.dev/ns/v0.2.0', true],
    ['https://openvex.dev/ns/v0.3.0', false],
    ['https://openvex.dev/ns/v1.0.0', false],
    ['https://openvex.dev/other', false],
  ])('the version %s is read: %j', (context, isRead) => {
    const statements = [STATEMENT];
    expect(readVexDocument({ '@context': context, statements }, null).read !== null).toBe(isRead);
    expect(readVexDocument({ statements }, context).read !== null).toBe(isRead);
  });

  test('a document of no known version says so', () => {
    expect(readVexDocument({ statements: [] }, null).unreadable).toBe(
      'The document is in no known format, and OpenVEX 0.0 to 0.2 are read',
    );
  });
});

describe('readVex', () => {
  test.each([
    ['Invalid JSON', '{'],
    ['JSON nested deeper than 250 levels', '['.repeat(300)],
  ])('a file that is %s cannot be read', (unreadable, text) => {
    expect(readVex(Buffer.from(text))).toEqual({ read: null, unreadable });
  });
});

const SUBJECT: Scope[] = [{ kind: 'fingerprint', fingerprint: OTHER }];
const STATED = statementOf({});
const entriesOf = (fields: object, scopes: Scope[] = SUBJECT) => vexEntries([statementOf(fields)], scopes) ?? [];

describe('vexEntries', () => {
  test.each([
    ['a digest', { hashes: { 'sha-256': FINGERPRINT.toUpperCase() } }, true],
    ['no digest that is one', { hashes: { 'sha-256': FINGERPRINT.slice(1) } }, false],
    ['a package URL with the digest', { identifiers: { purl: `pkg:oci/web@sha256:${FINGERPRINT}` } }, true],
    ['a package URL with an encoded digest', { '@id': `pkg:oci/web@sha256%3A${FINGERPRINT}?tag=v1` }, true],
    ['a name that ends in the digest', { '@id': `ghcr.io/acme/web@sha256:${FINGERPRINT}` }, true],
    ['a name that has the digest in it', { '@id': `ghcr.io/sha256:${FINGERPRINT}/web` }, false],
    ['a name alone', { '@id': 'ghcr.io/acme/web:v1' }, false],
  ])('a product with %s is an artifact: %j', (_, product, isSo) => {
    const found = entriesOf({ products: [product], subcomponents: ['pkg:npm/lodash'] });
    expect(found.map(({ fingerprint }) => fingerprint)).toEqual(isSo ? [FINGERPRINT] : []);
  });

  test('a statement without products is about what its attestation is about', () => {
    const own = { products: undefined, subcomponents: ['pkg:npm/lodash@4'] };
    expect(entriesOf(own)).toMatchObject([{ fingerprint: OTHER, entry: { part: 'pkg:npm/lodash@4' } }]);
    const named: Scope = { kind: 'named', artifact: 'web', commit: 'abc' };
    expect(entriesOf(own, [named, { kind: 'trail' }])).toMatchObject([{ fingerprint: null }]);
  });

  test('a statement about the whole product is found by each name of its vulnerability', () => {
    const found = entriesOf({ products: [{ hashes: { 'sha-256': FINGERPRINT } }] });
    expect(found.map(({ about }) => about)).toEqual([
      { vulnerability: 'CVE-2026-0001' },
      { vulnerability: 'GHSA-aaaa' },
    ]);
  });

  test('a part without a package URL cannot be found, and does not make the statement one about the whole product', () => {
    expect(entriesOf({ products: undefined, subcomponents: [{ '@id': 'cpe:2.3:a:x' }] })).toEqual([]);
  });

  test('statements are numbered by their own times, also if the document has another order', () => {
    const early = statementOf({ timestamp: '2026-10-01T00:00:00Z', status: 'affected' });
    const found = vexEntries([statementOf({}), early], SUBJECT) ?? [];
    expect(found.map(({ entry }) => [entry.number, entry.status])).toEqual([
      [0, 'affected'],
      [1, 'not_affected'],
    ]);
  });

  test('an attestation says at most 10000 things', () => {
    const all = Array.from({ length: MOST_ENTRIES + 1 }, () => STATED);
    expect(vexEntries(all.slice(1), SUBJECT)).toHaveLength(MOST_ENTRIES);
    expect(vexEntries(all, SUBJECT)).toBeNull();
  });
});
