import { describe, expect, test } from 'vitest';
import { LONGEST_SUMMARY, readPredicate } from '#shared/evidence/rules/predicates/read-predicate.ts';
import * as samples from './sample-predicates.ts';

/** Predicates that are not what their type promises (rules/verified-evidence.md#what-is-read-of-a-predicate). */

const PROVENANCE = 'https://slsa.dev/provenance/v1';
const read = (predicateType: string, predicate: unknown) => readPredicate({ predicateType, predicate });
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A predicate of each reader, as it should be. */
const RIGHT: Readonly<Record<string, unknown>> = {
  [PROVENANCE]: samples.provenanceV1(),
  'https://slsa.dev/provenance/v0.2': samples.provenanceV02(),
  'https://slsa.dev/verification_summary/v1': {
    verifier: { id: 'https://verifier.example' },
    resourceUri: 'pkg:oci/web',
    policy: { uri: 'https://policy.example', digest: { sha256: 'a'.repeat(64) } },
    verificationResult: 'PASSED',
    verifiedLevels: ['SLSA_BUILD_LEVEL_3'],
  },
  'https://slsa.dev/verification_summary/v0.2': {
    verifier: { id: 'https://verifier.example' },
    verification_result: 'PASSED',
    policy_level: 'SLSA_LEVEL_3',
  },
  'https://spdx.dev/Document': samples.spdx(),
  'https://cyclonedx.org/bom': samples.cycloneDx(),
  'https://cosign.sigstore.dev/attestation/vuln/v1': samples.vulns(samples.SCAN_RESULTS['Trivy']),
  'https://in-toto.io/attestation/test-result/v0.1': { result: 'PASSED', passedTests: ['a'] },
  'https://openvex.dev/ns/v0.2.0': { author: 'acme', statements: [{ vulnerability: 'CVE-2026-1', status: 'fixed' }] },
  'https://json.schemastore.org/sarif-2.1.0.json': samples.sarif(),
  'https://in-toto.io/attestation/release/v0.1': { purl: 'pkg:github/acme/web@v1', releaseId: 12 },
  'https://github.com/npm/attestation/tree/main/specs/publish/v0.1': { name: 'web', version: '1' },
};
const TYPES = Object.keys(RIGHT);

/** Values that stand where something else should. */
const WRONG: readonly unknown[] = [null, 0, -1, 1e308, true, '', 'text', [], [[]], {}, [null], { id: {} }, ['x', 1]];

/** Yields copies of a value with one member replaced, for each member at each depth. */
function* mutants(value: unknown, wrong: unknown): Generator<unknown> {
  yield wrong;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) for (const one of mutants(item, wrong)) yield value.with(i, one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const one of mutants(member, wrong)) yield { ...value, [name]: one };
    }
  }
}

describe('a hostile predicate', () => {
  test.each(TYPES)('is read or has a sentence, whichever value of %s is another one', (type) => {
    const right = read(type, RIGHT[type]);
    expect(right.statement).not.toHaveProperty('unreadable');
    let refused = 0;
    for (const wrong of WRONG) {
      for (const mutant of mutants(RIGHT[type], wrong)) {
        const { kind, statement } = read(type, mutant);
        expect(kind).toBe(right.kind);
        if ('unreadable' in statement) {
          refused += 1;
          expect(Object.keys(statement)).toEqual(['unreadable']);
          expect(statement['unreadable']).toMatch(/^\S.{9,}/);
        } else expect(Object.keys(statement).toSorted()).toEqual(Object.keys(right.statement).toSorted());
      }
    }
    expect(refused).toBeGreaterThan(WRONG.length);
  });

  test.each<[string, string, unknown, string]>([
    [
      'a builder that is a list',
      PROVENANCE,
      { buildDefinition: { buildType: 'x' }, runDetails: { builder: [] } },
      'runDetails.builder: Input should be a valid dictionary [input: []]',
    ],
    [
      'no builder',
      PROVENANCE,
      { buildDefinition: { buildType: 'x' }, runDetails: {} },
      'runDetails.builder: Field required [input: None]',
    ],
    [
      'an empty builder',
      PROVENANCE,
      { buildDefinition: { buildType: 'x' }, runDetails: { builder: { id: '' } } },
      'runDetails.builder.id: String should have at least 1 character [input: ]',
    ],
    [
      'the fields of another version',
      PROVENANCE,
      samples.provenanceV02(),
      'buildDefinition: Field required [input: None]',
    ],
    [
      'an unknown result',
      'https://in-toto.io/attestation/test-result/v0.1',
      { result: 'OK' },
      "result: Input should be 'PASSED', 'WARNED' or 'FAILED' [input: OK]",
    ],
    [
      'a text instead of an object',
      'https://openvex.dev/ns',
      'x',
      'predicate: Input should be a valid dictionary [input: x]',
    ],
    ['nothing', 'https://openvex.dev/ns', undefined, 'predicate: Field required [input: None]'],
    [
      'no document',
      'https://spdx.dev/Document',
      {},
      'The JSON is neither CycloneDX (bomFormat) nor SPDX 2 (spdxVersion) nor SPDX 3.0 (@context)',
    ],
    [
      'a text that is no document',
      'https://spdx.dev/Document',
      'x',
      'The file is neither CycloneDX nor SPDX, in JSON, XML or tag-value form',
    ],
    [
      'a document with entities',
      'https://cyclonedx.org/bom',
      '<!DOCTYPE a [<!ENTITY b "c">]><bom>&b;</bom>',
      'The XML has a document type (DOCTYPE), which is not accepted',
    ],
  ])('is not readable with %s', (_, type, predicate, sentence) => {
    expect(read(type, predicate).statement).toEqual({ unreadable: sentence });
  });

  const nested = (depth: number): unknown => {
    let value: unknown = 'x';
    for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
    return value;
  };

  test.each(TYPES)('is not readable if %s is nested too deep', (type) => {
    expect(read(type, { ...Object(RIGHT[type]), extra: nested(100_000) }).statement).toEqual({
      unreadable: 'The predicate is nested deeper than 250 levels',
    });
    expect(read(type, { ...Object(RIGHT[type]), extra: nested(200) }).statement).not.toHaveProperty('unreadable');
  });

  test('is not readable with more than a million values', () => {
    const extra = Array.from({ length: 1001 }, () => new Array(1000).fill(0));
    expect(read(PROVENANCE, { ...samples.provenanceV1(), extra }).statement).toEqual({
      unreadable: 'The predicate has more than 1000000 values',
    });
  });

  const long = (unit: string) => unit.repeat(1024);

  test.each([
    ['letters', 'x'],
    ['characters that JSON escapes', '\u0001'],
    ['characters of three bytes', '\u20ac'],
  ])('has a summary of at most 64 KB with long texts of %s', (_, unit) => {
    const digest = { sha256: long(unit), sha512: long(unit), sha1: long(unit), gitCommit: long(unit) };
    const resource = { uri: long(unit), digest };
    const [own] = samples.provenanceV1().buildDefinition.resolvedDependencies;
    const resolvedDependencies = [own, ...Array.from({ length: 499 }, () => resource)];
    const { statement } = read(PROVENANCE, samples.provenanceV1({ resolvedDependencies, buildType: long(unit) }));
    expect(statement).toMatchObject({ dependency_count: 500, source: { commit: samples.COMMIT } });
    expect(bytesOf(statement)).toBeLessThanOrEqual(LONGEST_SUMMARY);
    for (const [type, right] of Object.entries(RIGHT)) {
      const texts = JSON.parse(JSON.stringify(right), (_, value) => (typeof value === 'string' ? long(unit) : value));
      expect(bytesOf(read(type, texts).statement)).toBeLessThanOrEqual(LONGEST_SUMMARY);
    }
  });

  test('lists the first entries and counts all of them', () => {
    const failedTests = Array.from({ length: 3000 }, (_, i) => `test ${i}`);
    const { statement } = read('https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED', failedTests });
    expect(statement).toMatchObject({ failed_count: 3000, failed_tests: failedTests.slice(0, 20) });
  });

  test('has no text that was cut, and no half of a surrogate pair', () => {
    const builder = (id: string) => ({ ...samples.provenanceV1(), runDetails: { builder: { id } } });
    expect(read(PROVENANCE, builder('x'.repeat(1025))).statement).toMatchObject({ builder: { id: null } });
    expect(read(PROVENANCE, builder(' a\ud800 ')).statement).toMatchObject({ builder: { id: 'a\ufffd' } });
  });

  test('has no member that replaces the prototype', () => {
    const text = `{"buildDefinition":{"buildType":"x","externalParameters":{"__proto__":{"workflow":{"repository":"https://evil.example"}}}},"runDetails":{"builder":{"id":"b"},"__proto__":{"x":1}}}`;
    const { statement } = read(PROVENANCE, JSON.parse(text));
    expect(statement).toMatchObject({ builder: { id: 'b' }, source: null });
    expect(Object.getPrototypeOf(statement)).toBe(Object.prototype);
  });

  test('takes time in proportion to its size', () => {
    const rules = Array.from({ length: 100_000 }, (_, i) => ({ id: `rule ${i}` }));
    const results = rules.map(({ id }) => ({ ruleId: id }));
    const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 'lint', rules } }, results }] };
    const start = performance.now();
    expect(read('https://json.schemastore.org/sarif-2.1.0.json', log).statement).toMatchObject({
      result_count: 100_000,
    });
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
