import { createHash } from 'node:crypto';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { ARTIFACT, envelopeAbout, PARTS, REGO, SCAN, SLOT, STRICT, TEMPLATE, TEST_RESULTS } from './hostile-files.ts';
import { LARGE_DOCUMENT, SHORT } from './hostile-texts.ts';

/** Names that exist on every object of JavaScript. */
export const FLOW = 'constructor';
export const TRAIL = 'hasOwnProperty';
export const ENVIRONMENT = 'toString';
export const POLICY = 'valueOf';
export const CONTROL = '__proto__';
export const EXPECTATION = 'propertyIsEnumerable';
export const TYPE = 'isPrototypeOf';
export const ACCOUNT = 'constructor';
/** A name of a trust root, a signer and a recall. */
export const TRUSTED = 'toLocaleString';
export const FINGERPRINT = 'f'.repeat(64);
export const COMMIT = 'c'.repeat(40);
export const REPO = 'shop/web';

/** A request that fills the organization. */
export interface Step {
  /** The fields that a hostile value would be refused for. */
  base: object;
  /** Values of the parameters of the path. */
  params?: Record<string, string>;
  /** Fields that keep what the base has, because the service checks them with more than their schema. */
  kept?: readonly string[];
  files?: Record<string, string>;
}

const COMMIT_INFO = { sha1: COMMIT, message: 'm', author: 'a', timestamp: 1 };
const ORIGIN = { git_commit_info: COMMIT_INFO, repo_info: { id: '1', name: REPO, url: 'https://git.example/web' } };
const ORIGIN_KEPT = ['repo_info.name', 'repo_info.url', 'repo_info.id'];
const attestation = (name: string, more: object = {}, kept: readonly string[] = [], files?: Step['files']): Step => ({
  params: { flow_name: FLOW, trail_name: TRAIL },
  base: { attestation_name: name, ...ORIGIN, ...more },
  kept: [...ORIGIN_KEPT, 'attestation_name', 'artifact_fingerprint', 'target_artifacts', 'attachments', ...kept],
  ...(files && { files }),
});
const environment = (name: string, type: string): Step => ({
  base: { name, type },
  kept: ['name', 'included_environments', 'policies'],
});
const report = (name: string, artifact: object): Step => ({
  params: { env_name: name },
  base: { artifacts: [{ digests: { [SHORT]: FINGERPRINT }, creationTimestamp: 1_700_000_000, ...artifact }] },
});
const target = (url: string) => [{ type: 'WEBHOOK', webhook: url }];
const TARGET_KEPT = [
  'targets.[].webhook',
  'targets.[].secret',
  'targets.[].emails',
  'targets.[].email',
  'targets.[].config',
];

/** The requests that fill the organization, in their order. */
export const steps = (receiver: string): [operation: string, step: Step][] => [
  ['createServiceAccount', { base: { name: ACCOUNT, privilege: 'member' } }],
  ['updateServiceAccount', { params: { name: ACCOUNT }, base: {} }],
  ['issueServiceAccountKey', { params: { name: ACCOUNT }, base: {} }],
  ['putSignInRules', { base: { rules: [{ group: SHORT, role: 'reader' }] }, kept: ['rules'] }],
  [
    'putTrust',
    {
      params: { name: 'release' },
      base: { service_account: ACCOUNT, preset: 'github', audience: 'a', claims: { repository_id: '74' } },
      kept: ['service_account', 'issuer', 'claims'],
    },
  ],
  [
    'putTrustRoot',
    {
      params: { name: TRUSTED },
      base: { kind: 'public-key', public_key: PUBLIC_KEY },
      kept: ['public_key', 'trusted_root'],
    },
  ],
  [
    'putSigner',
    {
      params: { name: TRUSTED },
      base: {
        trust_root: 'sigstore-public',
        // A `*` would match names that strangers choose, so the service refuses it here.
        subjects: [SHORT.replaceAll('*', '+')],
        claims: { build_trigger: [SHORT] },
      },
      kept: ['trust_root', 'subjects', 'claims'],
    },
  ],
  [
    'putRecall',
    {
      params: { name: TRUSTED },
      base: { run: 'r', reason: 'r' },
      kept: ['signer', 'builder', 'root', 'key', 'bundles'],
    },
  ],
  ['createControl', { base: { identifier: CONTROL, name: 'n' }, kept: ['identifier'] }],
  ['updateControl', { params: { identifier: CONTROL }, base: { name: 'n' } }],
  ['putPolicy', { base: { name: POLICY }, files: { policy_file: STRICT } }],
  [
    'createCustomAttestationType',
    {
      base: {
        name: TYPE,
        evaluator: { content_type: 'jq', rules: ['.ok'] },
        summary: [{ name: 'n', expression: '.deep' }],
      },
      kept: ['evaluator', 'summary.[].expression'],
      files: { type_schema: '{"type":"object"}' },
    },
  ],
  ['putFlowWithTemplate', { base: { name: FLOW }, files: { template_file: TEMPLATE } }],
  ['putFlow', { base: { name: 'second' }, kept: ['template'] }],
  ...['docker', 'K8S', 'ECS', 'S3', 'lambda', 'server', 'azure-apps', 'cloud-run'].map((type): [string, Step] => [
    'putEnvironment',
    environment(type === 'docker' ? ENVIRONMENT : type, type),
  ]),
  [
    'putEnvironment',
    {
      ...environment('all', 'logical'),
      base: { name: 'all', type: 'logical', included_environments: [ENVIRONMENT, 'K8S'] },
    },
  ],
  [
    'putFlowAction',
    {
      base: {
        name: 'tell',
        triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'],
        targets: target(receiver),
      },
      kept: [...TARGET_KEPT, 'flows'],
    },
  ],
  [
    'putFlowAction',
    {
      base: {
        name: 'mail',
        triggers: ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'],
        targets: [{ type: 'EMAIL', emails: ['ann@example.com'] }],
      },
      kept: ['flows', 'targets'],
    },
  ],
  [
    'putEnvironmentNotification',
    {
      base: {
        name: 'red',
        type: 'env',
        environments: [ENVIRONMENT],
        triggers: ['ON_NON_COMPLIANT_ENV'],
        targets: target(receiver),
      },
      kept: [...TARGET_KEPT, 'environments'],
    },
  ],
  ['beginTrail', { params: { flow: FLOW }, base: { name: TRAIL, ...ORIGIN }, kept: ORIGIN_KEPT }],
  [
    'reportArtifact',
    {
      params: { flow_name: FLOW },
      base: {
        trail_name: TRAIL,
        template_reference_name: ARTIFACT,
        filename: 'app',
        fingerprint: FINGERPRINT,
        git_commit: COMMIT,
        build_url: 'https://ci.example/1',
        commit_url: 'https://git.example/c',
        ...ORIGIN,
        commits_list: [COMMIT_INFO],
      },
      kept: [...ORIGIN_KEPT, 'template', 'git_commit', 'trail_name', 'template_reference_name'],
    },
  ],
  ['attestGeneric', attestation(SLOT, { is_compliant: false }, [], { attachment_file: '<script>alert(4)</script>' })],
  [
    'attestCustom',
    attestation('custom', { type_name: TYPE, attestation_data: LARGE_DOCUMENT }, ['type_name', 'attestation_data']),
  ],
  ['attestIssueTracker', attestation('issue', { issue_tracker_results: [{ issue_id: 'A-1', issue_exists: false }] })],
  ['attestJira', attestation('jira', { jira_results: [{ issue_id: 'A-1', issue_exists: true }] })],
  [
    'attestJunit',
    attestation(
      'unit',
      { junit_results: [{ name: 'u', failures: 1, errors: 0, skipped: 0, total: 2, duration: 1 }] },
      [],
      { attachment_file: TEST_RESULTS },
    ),
  ],
  [
    'attestSnyk',
    attestation(
      'scan',
      {
        artifact_fingerprint: FINGERPRINT,
        snyk_results: {
          schema_version: 1,
          tool: { name: 't', version: '1' },
          results: [
            {
              high_count: 1,
              medium_count: 0,
              low_count: 0,
              high: [{ id: 'C', message: 'm', priority_score: 1 }],
              medium: [],
              low: [],
            },
          ],
        },
      },
      [],
      { attachment_file: SCAN },
    ),
  ],
  [
    'attestSonar',
    attestation('quality', {
      sonar_results: {
        serverUrl: 'https://sonar.example',
        taskId: 't',
        status: 'SUCCESS',
        analysedAt: '2026-01-01T00:00:00+0000',
        revision: COMMIT,
        project: { key: 'k', name: 'n', url: 'https://sonar.example/k' },
        qualityGate: { status: 'ERROR', conditions: [] },
      },
    }),
  ],
  [
    'attestPullRequest',
    attestation('review', {
      git_provider: 'gitlab',
      pull_requests: [
        {
          merge_commit: COMMIT,
          url: 'https://git.example/1',
          state: 'merged',
          author: 'a',
          approvers: [{ username: 'b', state: 'APPROVED' }],
          commits: [{ ...COMMIT_INFO, branch: 'b' }],
        },
      ],
    }),
  ],
  [
    'attestSystem',
    attestation('verdict', { type_name: 'decision', control: CONTROL, attestation_data: { is_compliant: false } }, [
      'type_name',
      'control',
    ]),
  ],
  [
    'attestSystem',
    attestation(
      'parts',
      {
        type_name: 'sbom',
        attestation_data: { original_fingerprint: createHash('sha256').update(PARTS).digest('hex') },
      },
      ['type_name', 'attestation_data'],
      { attachment_file: PARTS },
    ),
  ],
  ['attestBundle', attestation('signed', {}, ['signer'], { bundle_file: '{"mediaType":"<script>alert(5)</script>"}' })],
  [
    'reportBundles',
    {
      base: { attestation_name: 'envelope', ...ORIGIN },
      kept: [...ORIGIN_KEPT, 'attestation_name', 'artifact_fingerprint', 'target_artifacts', 'attachments', 'signer'],
      files: { bundle_file: envelopeAbout(FINGERPRINT) },
    },
  ],
  [
    'attestOverride',
    attestation('unit', { reason: 'r', new_compliance_status: true, original_attestation_type: 'junit' }, [
      'original_attestation_type',
    ]),
  ],
  [
    'putExpectation',
    {
      base: { name: EXPECTATION, kind: 'reports', scope: { environments: [ENVIRONMENT, 'S3'] }, every: 'PT20M' },
      kept: ['name', 'scope'],
    },
  ],
  [
    'putWatch',
    {
      params: { name: TRUSTED },
      base: { purl: 'pkg:npm/shop', versions: 'vers:npm/*', known_since: 1_700_000_000 },
      kept: ['purl', 'versions', 'known_since'],
    },
  ],
  ['reportDocker', report(ENVIRONMENT, {})],
  [
    'reportK8S',
    report('K8S', {
      podName: 'p',
      namespace: 'n',
      owners: [{ apiVersion: 'v', kind: 'k', name: 'n', uid: 'u', controller: true, blockOwnerDeletion: true }],
    }),
  ],
  [
    'reportECS',
    report('ECS', {
      taskArn: 'arn:aws:ecs:eu-central-1:123456789012:task/shop/1',
      cluster_name: 'c',
      service_name: 's',
    }),
  ],
  ['reportS3', report('S3', { lastModifiedTimestamp: 1_700_000_000 })],
  ['reportLambda', report('lambda', {})],
  ['reportServer', report('server', {})],
  [
    'reportAzureApps',
    report('azure-apps', { app_name: 'a', app_kind: 'k', digests_source: 'logs', startedAt: 1_700_000_000 }),
  ],
  [
    'reportCloudRun',
    { ...report('cloud-run', { kind: 'service', serviceName: 's', revisionName: 'r' }), kept: ['type'] },
  ],
  [
    'allowArtifact',
    {
      params: { env_name: ENVIRONMENT },
      base: { artifact_fingerprint: 'e'.repeat(64), artifact_name: 'a', description: 'd' },
    },
  ],
  [
    'tagResource',
    { params: { resource_type: 'flow', resource_id: FLOW }, base: { set_tags: {} }, kept: ['remove_tags'] },
  ],
  [
    'tagResource',
    { params: { resource_type: 'env', resource_id: ENVIRONMENT }, base: { set_tags: {} }, kept: ['remove_tags'] },
  ],
  ['tagControl', { params: { resource_id: CONTROL }, base: { set_tags: {} }, kept: ['remove_tags'] }],
  [
    'requestEvaluation',
    {
      base: {
        context: { trails: [{ flow: FLOW, trail: TRAIL }] },
        policy: { files: { 'policy.rego': REGO } },
        params: {},
        decision: { control: CONTROL, name: 'ruling', flow: FLOW, trail: TRAIL },
      },
      kept: ['context', 'policy', 'decision'],
    },
  ],
];
