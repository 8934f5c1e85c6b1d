import type { DemoFiles } from './client.ts';
import { attest, beginTrail, commitOf, repoOf, type Setting, sha256 } from './setting.ts';

const FLOW = 'nightly';
const TRAIL = 'run-21';
/** Hours before the present at which the run begins. */
const BEGIN = 20;

/** Adds one run of the flow `nightly`, with evidence of each kind as the command-line client sends it: also what failed. */
export function addNightly({ script, keys }: Setting): void {
  const commit = commitOf(FLOW, 21, script.seconds(BEGIN + 2));
  const report = (after: number, kind: string, name: string, document: object, files?: DemoFiles) =>
    script.add(BEGIN - after, [TRAIL], (client) =>
      attest(client, keys.ci(), { flow: FLOW, trail: TRAIL, kind }, { attestation_name: name, ...document }, files),
    );
  script.add(BEGIN, [TRAIL], (client) =>
    beginTrail(client, keys.ci(), FLOW, {
      name: TRAIL,
      description: 'All tests, scans and measurements of the main branch',
      git_commit_info: commit,
      repo_info: repoOf(FLOW),
    }),
  );
  report(0.1, 'pull_request', 'review', pullRequest(script.seconds(BEGIN + 3), commit));
  report(0.2, 'jira', 'ticket', {
    jira_results: [
      {
        issue_id: 'SHOP-412',
        issue_url: 'https://tickets.webshop.example/browse/SHOP-412',
        issue_exists: true,
        issue_fields: { summary: 'Discounts are rounded per line', status: { name: 'In review' } },
      },
    ],
  });
  report(
    0.5,
    'junit',
    'system-tests',
    { junit_results: SUITES },
    { attachment_file: { name: 'TEST-system.xml', content: XML } },
  );
  report(
    0.6,
    'snyk',
    'images',
    { snyk_results: scanOf() },
    { attachment_file: { name: 'scan.json', content: JSON.stringify(sarif()) } },
  );
  report(0.7, 'sonar', 'quality', { sonar_results: sonarOf(commit.sha1) });
  const parts = JSON.stringify(bom(script.instant(BEGIN)));
  report(
    0.8,
    'system',
    'parts',
    {
      type_name: 'sbom',
      attestation_data: {
        original_fingerprint: sha256(parts),
        format: 'cyclonedx-1.6',
        document: { tools: ['syft 1.2'], subject: { name: 'shop', version: '21' }, package_count: PARTS.length },
      },
    },
    { attachment_file: { name: 'sbom.json', content: parts } },
  );
  report(
    0.9,
    'generic',
    'load-test',
    { is_compliant: true, description: '400 orders a minute for an hour' },
    {
      'attachment_file.0': { name: 'latency.png', content: Buffer.from(CHART, 'base64') },
      'attachment_file.1': {
        name: 'summary.txt',
        content: 'requests  24000\nfailed        0\np50       81 ms\np99      240 ms\n',
      },
    },
  );
}

function pullRequest(at: number, commit: ReturnType<typeof commitOf>) {
  const url = 'https://git.webshop.example/nightly/merge/88';
  return {
    git_provider: 'github',
    origin_url: url,
    pull_requests: [
      {
        merge_commit: commit.sha1,
        url,
        state: 'MERGED',
        author: commit.author_username,
        approvers: [{ username: 'dana', state: 'APPROVED', timestamp: at + 1800 }],
        created_at: at,
        merged_at: at + 2400,
        title: 'Round discounts once per order',
        head_ref: 'fix/rounding',
        base_ref: 'main',
        commits: [{ ...commit, timestamp: at - 600, verified: true, signature_state: 'VALID' }],
      },
    ],
  };
}

const SUITES = [
  { name: 'checkout', failures: 1, errors: 0, skipped: 0, total: 3, duration: 9.4 },
  { name: 'catalogue', failures: 0, errors: 0, skipped: 2, total: 213, duration: 171.9 },
];

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="checkout" tests="3" failures="1" time="9.4">
    <testcase classname="checkout" name="pays with a card" time="2.1"/>
    <testcase classname="checkout" name="rounds a discount of 12.5 % once" time="3.8">
      <failure message="expected 17.49 EUR, got 17.50 EUR" type="AssertionError">
    at rounding.test.ts:41:18
    at order.ts:112:9
      </failure>
    </testcase>
    <testcase classname="checkout" name="keeps the basket after a timeout" time="3.5"/>
  </testsuite>
  <testsuite name="catalogue" tests="213" failures="0" skipped="2" time="171.9"/>
</testsuites>
`;

/** Severity, id, message and place of what the scan found. */
const FOUND = [
  [
    'high',
    'SNYK-ALPINE319-OPENSSL-7413532',
    'Buffer overflow in the check of certificates of openssl',
    'Dockerfile',
    1,
  ],
  ['medium', 'SNYK-JS-MICROMATCH-6838728', 'A pattern of micromatch can take very long', 'package-lock.json', 4012],
  ['low', 'SNYK-JS-DEBUG-3227433', 'A format of debug can take long', 'package-lock.json', 1780],
] as const;

function scanOf() {
  const of = (severity: string) =>
    FOUND.filter(([one]) => one === severity).map(([, id, message, uri, line], n) => ({
      id,
      message,
      locations: [{ uri, lines: String(line) }],
      priority_score: 700 - n,
    }));
  const [high, medium, low] = [of('high'), of('medium'), of('low')];
  return {
    schema_version: 1,
    tool: { name: 'Snyk Container', version: '1.1290.0' },
    results: [{ high_count: high.length, medium_count: medium.length, low_count: low.length, high, medium, low }],
  };
}

const LEVELS = { high: 'error', medium: 'warning', low: 'note' } as const;

const sarif = () => ({
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Snyk Container',
          version: '1.1290.0',
          rules: FOUND.map(([, id, text]) => ({
            id,
            shortDescription: { text },
            helpUri: `https://security.webshop.example/${id}`,
          })),
        },
      },
      results: FOUND.map(([severity, ruleId, text, uri, startLine]) => ({
        ruleId,
        level: LEVELS[severity],
        message: { text },
        locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
      })),
    },
  ],
});

const sonarOf = (revision: string) => ({
  serverUrl: 'https://sonar.webshop.example',
  taskId: 'AY1',
  status: 'SUCCESS',
  revision,
  project: { key: 'shop', name: 'Shop', url: 'https://sonar.webshop.example/dashboard?id=shop' },
  branch: { name: 'main', type: 'LONG' },
  qualityGate: {
    status: 'ERROR',
    conditions: [
      { metric: 'new_reliability_rating', errorThreshold: '1', operator: 'GT', value: '1', status: 'OK' },
      { metric: 'new_coverage', errorThreshold: '80', operator: 'LT', value: '61.3', status: 'ERROR' },
    ],
  },
});

const PARTS = [
  'undici',
  'zod',
  'pino',
  'yaml',
  'fast-xml-parser',
  'tar-stream',
  'ajv',
  'nanoid',
  'ws',
  'tslib',
  'semver',
  'ms',
];

/** A bill of materials with a few libraries, made at an instant in microseconds. */
const bom = (at: number) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: {
    timestamp: new Date(at / 1000).toISOString(),
    component: { type: 'application', name: 'shop', version: '21' },
  },
  components: PARTS.map((name, n) => ({
    type: 'library',
    name,
    version: `${1 + (n % 4)}.${n}.0`,
    purl: `pkg:npm/${name}@${1 + (n % 4)}.${n}.0`,
    licenses: [{ license: { id: n % 3 === 0 ? 'MIT' : 'Apache-2.0' } }],
  })),
});

/** A chart of latencies, 120 by 48 pixels. */
const CHART = [
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAAAwCAIAAABVDSmEAAABiklEQVR42u2YbQ6CMAyGeyMP46U9h/GPp0CSJdOwDzr6NfBtFgMq8vRJV9zo+X',
  'pjOAxaEC4B0RAN0QiIhmiIhgKIhmgEREP034vGLgT2OtA6EBAN0RB90bjdH+cTnaAz+mw5nAJyWPT6uklpQtElZDgtcaD76LE5VKlmgxwTvdEd',
  'ngMHMn8zdhau9yVOAv1KmVD05guBNZEZiIPeepSH1zUTMpD2KzqtxNejzevv+62RP005cC6RjxKVD1nSOox0L1J5aPh0ks5UG/oRh3IuUUkrgZ',
  'yDg2ghpOmiptV+SUWxWxNUqQZT2hYhKd7GtIFoTTtr2tZfSbKbPvJiUZdr3e46wGT6ZFDpp26Ekj8CuzVBps8ueQ7WruUtmzntyLRYRnPYXew5',
  '045eKN29s8uheuqseFccE3Iu0dWD1mnImn4Ikg9M/jlUD8ILuTX5qpBHtkmdl/zlQd554G9f+NPKISmqarQqxbPpSVoczZbDKUQfaR0L4tCKF6',
  'InDYiGaIhGQDREQzQUQPSl4gMZbceVU5wXHQAAAABJRU5ErkJggg==',
].join('');
