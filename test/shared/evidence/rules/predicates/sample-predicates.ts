/** Predicates as their writers spell them. */

export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export const provenanceV1 = (definition: Readonly<Record<string, unknown>> = {}) => ({
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: {
      workflow: {
        ref: 'refs/heads/main',
        repository: 'https://github.com/acme/web',
        path: '.github/workflows/release.yml',
      },
    },
    internalParameters: { github: { event_name: 'push', repository_id: '74', runner_environment: 'github-hosted' } },
    resolvedDependencies: [{ uri: 'git+https://github.com/acme/web@refs/heads/main', digest: { gitCommit: COMMIT } }],
    ...definition,
  },
  runDetails: {
    builder: { id: 'https://github.com/actions/runner/github-hosted' },
    metadata: { invocationId: 'https://github.com/acme/web/actions/runs/71/attempts/1' },
  },
});

export const provenanceV02 = () => {
  const source = { uri: 'git+https://github.com/acme/web@refs/tags/v1.0.0', digest: { sha1: COMMIT } };
  return {
    buildType: 'https://github.com/npm/cli/gha/v2',
    builder: { id: 'https://github.com/npm/cli/gha@10.2.0' },
    invocation: { configSource: { ...source, entryPoint: '.github/workflows/release.yml' }, parameters: {} },
    metadata: {
      buildInvocationId: '71-1',
      buildStartedOn: '2026-11-01T10:00:00Z',
      buildFinishedOn: '2026-11-01T10:05:00Z',
      completeness: { parameters: false },
      reproducible: false,
    },
    materials: [source],
  };
};

export const spdx = () => ({
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  documentDescribes: ['SPDXRef-web'],
  packages: [
    { SPDXID: 'SPDXRef-web', name: 'web', versionInfo: '1.0' },
    { SPDXID: 'SPDXRef-lib', name: 'lib' },
  ],
});

export const SPDX_TAGS = `SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-web

PackageName: web
SPDXID: SPDXRef-web
PackageVersion: 1.0

PackageName: lib
SPDXID: SPDXRef-lib
`;

export const cycloneDx = () => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { name: 'web', version: '1.0', purl: 'pkg:npm/web@1.0' } },
  components: [
    { type: 'library', name: 'a' },
    { type: 'library', name: 'b' },
  ],
});

export const vulns = (result: unknown) => ({
  invocation: { uri: 'https://ci.example/1' },
  scanner: {
    uri: 'pkg:github/scanner@1',
    version: '1',
    db: { version: '7', lastUpdate: '2026-11-01T00:00:00Z' },
    result,
  },
  metadata: { scanStartedOn: '2026-11-01T10:00:00Z', scanFinishedOn: '2026-11-01T10:01:00Z' },
});

/** The same three findings, one without a severity, in the forms that are read. */
export const SCAN_RESULTS: Readonly<Record<string, unknown>> = {
  'a statement': [
    {
      id: 'CVE-2026-1',
      severity: [
        { method: 'nvd', score: 7.5 },
        { method: 'cvss', score: 'HIGH' },
      ],
    },
    { id: 'CVE-2026-3', severity: [{ method: 'nvd', score: '7.5' }] },
    { id: 'CVE-2026-2', severity: [{ method: 'cvss', score: 'critical' }] },
  ],
  Trivy: {
    SchemaVersion: 2,
    Results: [
      { Target: 'web', Vulnerabilities: [{ VulnerabilityID: 'CVE-2026-1', Severity: 'HIGH' }] },
      { Target: 'clean' },
      {
        Target: 'lib',
        Vulnerabilities: [
          { VulnerabilityID: 'CVE-2026-3', Severity: 'UNKNOWN' },
          { VulnerabilityID: 'CVE-2026-2', Severity: 'CRITICAL' },
        ],
      },
    ],
  },
  Grype: {
    matches: [
      { vulnerability: { id: 'CVE-2026-3' } },
      { vulnerability: { id: 'CVE-2026-1', severity: 'High' } },
      { vulnerability: { id: 'CVE-2026-2', severity: 'Critical' } },
    ],
  },
};

export const sarif = () => ({
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'lint',
          version: '2',
          semanticVersion: '2.0',
          rules: [{ id: 'safe', defaultConfiguration: { level: 'error' } }, { id: 'plain' }],
        },
      },
      results: [
        { ruleId: 'plain', level: 'error' },
        { ruleId: 'plain', level: 'note' },
        { ruleId: 'safe' },
        { ruleId: 'other', ruleIndex: 0 },
        { ruleId: 'plain' },
        { ruleId: 'safe', kind: 'pass' },
      ],
    },
  ],
});
