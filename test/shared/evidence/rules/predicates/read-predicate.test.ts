import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { readPredicate } from '#shared/evidence/rules/predicates/read-predicate.ts';
import { statementText } from '#shared/log/rules/verification-summary.ts';
import * as samples from './sample-predicates.ts';

/** rules/verified-evidence.md#what-is-read-of-a-predicate. Hostile predicates are in hostile-predicates.test.ts. */

const read = (predicateType: string, predicate: unknown) => readPredicate({ predicateType, predicate });

describe('what is read of a verification summary', () => {
  test('has verifier, result, levels and policy', () => {
    const text = statementText(
      {
        kind: 'trail',
        subjects: [{ name: 'a', sha256: 'a'.repeat(64) }],
        uri: 'https://evidence.example/acme/flows/web/trails/1',
        passed: true,
        policy: { uri: 'https://evidence.example/policy', sha256: 'b'.repeat(64) },
        inputs: [{ uri: 'https://evidence.example/log/1' }, { uri: 'https://evidence.example/log/2' }],
        at: micros(1_763_683_200_000_000),
      },
      { host: 'https://evidence.example', nonce: '00' },
    );
    const { predicateType, predicate } = JSON.parse(text);
    expect(read(predicateType, predicate)).toEqual({
      kind: 'vsa',
      statement: {
        verifier: { id: 'https://evidence.example/verifier/v1' },
        result: 'PASSED',
        levels: ['EVIDENCE_TRAIL_COMPLIANT'],
        resource_uri: 'https://evidence.example/acme/flows/web/trails/1',
        policy: { uri: 'https://evidence.example/policy', digest: { sha256: 'b'.repeat(64) } },
        verified_at: '2025-11-21T00:00:00.000Z',
        slsa_version: null,
        input_count: 2,
      },
    });
  });

  test('has the same under the names of version 0.2', () => {
    expect(
      read('https://slsa.dev/verification_summary/v0.2', {
        verifier: { id: 'https://verifier.example' },
        time_verified: '2026-11-01T10:00:00Z',
        resource_uri: 'pkg:oci/web',
        policy: { uri: 'https://policy.example' },
        input_attestations: [{}],
        verification_result: 'FAILED',
        policy_level: 'SLSA_LEVEL_3',
      }).statement,
    ).toMatchObject({ result: 'FAILED', levels: ['SLSA_LEVEL_3'], resource_uri: 'pkg:oci/web', input_count: 1 });
  });
});

describe('what is read of an SBOM', () => {
  const found = { format: 'spdx-2.3', package_count: 2, subject: { name: 'web', version: '1.0' } };

  test('has format, subject and number of packages of SPDX, as JSON and as text', () => {
    const spdx = samples.spdx();
    for (const predicate of [
      spdx,
      JSON.stringify(spdx),
      { Data: JSON.stringify(spdx), Timestamp: '' },
      samples.SPDX_TAGS,
    ]) {
      const { kind, statement } = read('https://spdx.dev/Document/v2.3', predicate);
      expect({ kind, statement }).toMatchObject({ kind: 'sbom', statement: found });
    }
  });

  test('has the same of CycloneDX', () => {
    expect(read('https://cyclonedx.org/bom', samples.cycloneDx()).statement).toMatchObject({
      format: 'cyclonedx-1.6',
      package_count: 2,
      subject: { name: 'web', version: '1.0', purl: 'pkg:npm/web@1.0' },
    });
  });

  test('is nothing if the document has another format than the predicate type', () => {
    expect(read('https://spdx.dev/Document', samples.cycloneDx()).statement).toEqual({
      unreadable: 'The predicate type is one of spdx, and the document is cyclonedx-1.6',
    });
  });
});

describe('what is read of a scan for vulnerabilities', () => {
  const severities = { critical: 1, high: 1, medium: 0, low: 0, negligible: 0, unknown: 1 };

  test.each(Object.entries(samples.SCAN_RESULTS))('has the findings that %s lists', (_, result) => {
    const { kind, statement } = read('https://cosign.sigstore.dev/attestation/vuln/v1', samples.vulns(result));
    expect(kind).toBe('vulns');
    expect(statement).toEqual({
      scanner: { uri: 'pkg:github/scanner@1', version: '1' },
      database: { uri: null, version: '7', updated_at: '2026-11-01T00:00:00Z' },
      started_at: '2026-11-01T10:00:00Z',
      finished_at: '2026-11-01T10:01:00Z',
      finding_count: 3,
      severities,
      findings: [
        { id: 'CVE-2026-2', severity: 'critical' },
        { id: 'CVE-2026-1', severity: 'high' },
        { id: 'CVE-2026-3', severity: 'unknown' },
      ],
    });
  });

  test('has no findings of a result in another form', () => {
    const { statement } = read('https://in-toto.io/attestation/vulns/v0.2', samples.vulns({ found: [] }));
    expect(statement).toMatchObject({ finding_count: null, severities: null, findings: [] });
  });

  test('has zero findings of an empty result', () => {
    const { statement } = read('https://in-toto.io/attestation/vulns/v0.2', samples.vulns([]));
    expect(statement).toMatchObject({ finding_count: 0 });
  });
});

describe('what is read of other predicates', () => {
  test('has result, counts and failed tests of a test result', () => {
    expect(
      read('https://in-toto.io/attestation/test-result/v0.1', {
        result: 'FAILED',
        configuration: [{ uri: 'git+https://host/acme/web' }],
        url: 'https://ci.example/1',
        passedTests: ['a', 'b'],
        failedTests: ['c'],
      }),
    ).toEqual({
      kind: 'test-result',
      statement: {
        result: 'FAILED',
        url: 'https://ci.example/1',
        passed_count: 2,
        warned_count: 0,
        failed_count: 1,
        failed_tests: ['c'],
      },
    });
  });

  test('has author, statuses and statements of OpenVEX, in both spellings of vulnerabilities', () => {
    const { kind, statement } = read('https://openvex.dev/ns/v0.2.0', {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://acme.example/vex/1',
      author: 'acme',
      timestamp: '2026-11-01T10:00:00Z',
      version: 1,
      statements: [
        { vulnerability: { name: 'CVE-2026-1' }, status: 'not_affected', justification: 'component_not_present' },
        { vulnerability: 'CVE-2026-2', status: 'fixed' },
        { vulnerability: 'CVE-2026-3', status: 'ignored' },
      ],
    });
    expect({ kind, statement }).toMatchObject({
      kind: 'vex',
      statement: {
        id: 'https://acme.example/vex/1',
        version: '1',
        statement_count: 3,
        statuses: { affected: 0, under_investigation: 0, fixed: 1, not_affected: 1, unknown: 1 },
        statements: [
          { vulnerability: 'CVE-2026-1', status: 'not_affected', justification: 'component_not_present' },
          { vulnerability: 'CVE-2026-2', status: 'fixed', justification: null },
          { vulnerability: 'CVE-2026-3', status: 'ignored', justification: null },
        ],
      },
    });
  });

  test('has tools and levels of SARIF, by result, kind and rule', () => {
    const found = {
      kind: 'sarif',
      statement: {
        version: '2.1.0',
        tools: [{ name: 'lint', version: '2.0' }],
        result_count: 6,
        levels: { error: 3, warning: 1, note: 1, none: 1 },
      },
    };
    expect(read('https://json.schemastore.org/sarif-2.1.0.json', samples.sarif())).toEqual(found);
    expect(read('https://witness.dev/attestations/sarif/v0.1', { report: samples.sarif() })).toEqual(found);
  });

  test('has the package of a release and of a publication', () => {
    expect(
      read('https://in-toto.io/attestation/release/v0.1', {
        purl: 'pkg:github/acme/web@v1',
        releaseId: 12,
        repository: 'acme/web',
        tag: 'v1',
      }),
    ).toEqual({
      kind: 'release',
      statement: { purl: 'pkg:github/acme/web@v1', release: '12', repository: 'acme/web', tag: 'v1' },
    });
    expect(
      read('https://github.com/npm/attestation/tree/main/specs/publish/v0.1', {
        name: 'web',
        version: '1.0.0',
        registry: 'https://packages.example',
      }).statement,
    ).toEqual({ name: 'web', version: '1.0.0', registry: 'https://packages.example' });
  });

  test('is nothing of an unknown type', () => {
    expect(read('https://acme.example/review/v1', { reviewer: 'ada' })).toEqual({ kind: 'statement', statement: {} });
  });
});
