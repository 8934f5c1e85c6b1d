import { createHash } from 'node:crypto';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import { envelope, statement } from '#test/shared/signatures/sample-bundles.ts';
import { KNOWN_KEY } from '#test/shared/signatures/sample-key.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { policyText } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo, fingerprintOf, shaOf } from '#test/support/evidence.ts';
import { cycloneDxJson } from '#test/support/records/sboms.ts';
import { sent } from './sent.ts';

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: unit
      type: junit
    - name: verdict
      type: decision
  artifacts:
    - name: app
      attestations:
        - name: scan
          type: snyk
`;
const digestOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const ORIGIN = { git_commit_info: aCommit('kinds'), repo_info: aRepo() };
const PLACE = { flow: 'kinds', trail: 'all' };
/** A text that does not fit into an item. */
const LONG = Array.from({ length: 9_000 }, (_, line) => `line ${line} of a report`).join('\n');

/** One attestation of each kind, a flow with a former name, and what reports keep of commits and templates. */
export async function evidenceOfEachKind(acme: EnvironmentsOfOrganization): Promise<void> {
  await acme.putFlow('before', TEMPLATE);
  await sent(acme, 'PUT', '/flows/ORG/before/rename', { new_name: 'kinds' });
  await acme.begin({ description: 'one of each kind', user_data: { ticket: 'CHG-1' }, ...ORIGIN }, PLACE);
  await acme.begin({ description: 'with a template of its own', ...ORIGIN }, { ...PLACE, template: TEMPLATE });
  const artifact = { ...ORIGIN, git_commit: shaOf('kinds'), commits_list: [aCommit('earlier'), aCommit('kinds')] };
  await acme.report(anArtifact('app', artifact), PLACE);
  await customTypes(acme);
  await sent(acme, 'PUT', '/trust-roots/ORG/known', { kind: 'public-key', public_key: publicPem(KNOWN_KEY) });
  await sent(acme, 'PUT', '/signers/ORG/known', { trust_root: 'known' });
  for (const [kind, fields, files] of attestations()) {
    await acme.attest(kind, { ...ORIGIN, ...fields }, { ...PLACE, ...(files && { files }) });
  }
  await attached(acme);
}

async function customTypes(acme: EnvironmentsOfOrganization): Promise<void> {
  for (const [name, evaluator] of [
    ['tests', { content_type: 'jq', rules: ['.failed == 0'] }],
    ['left', undefined],
  ] as const) {
    const type = { name, description: `of ${name}`, ...(evaluator && { evaluator }) };
    const files = { type_schema: '{"type":"object","properties":{"failed":{"type":"integer"}}}' };
    const form = { fields: { data_json: JSON.stringify(type) }, files };
    const answer = await acme.call('POST', `/custom-attestation-types/${acme.org}`, { form });
    if (answer.status !== 201) throw new Error(answer.text);
  }
  await sent(acme, 'PUT', '/custom-attestation-types/ORG/left/archive', null);
}

type Attestation = [kind: string, fields: Record<string, unknown>, files?: Record<string, string>];

function attestations(): Attestation[] {
  const app = { artifact_fingerprint: fingerprintOf('app') };
  const sbom = cycloneDxJson('1.6');
  return [
    ['generic', { attestation_name: 'notes', is_compliant: true, description: 'd' }, { attachment_file: LONG }],
    ['custom', { attestation_name: 'cover', type_name: 'tests', attestation_data: { failed: 0 } }],
    ['issue_tracker', { attestation_name: 'issue', issue_tracker_results: [{ issue_id: 'A-1', issue_exists: false }] }],
    ['jira', { attestation_name: 'jira', jira_results: [{ issue_id: 'A-1', issue_exists: true }] }],
    [
      'junit',
      {
        attestation_name: 'unit',
        junit_results: [{ name: 'u', failures: 1, errors: 0, skipped: 0, total: 2, duration: 1 }],
      },
    ],
    ['snyk', { attestation_name: 'scan', ...app, snyk_results: SNYK }],
    ['sonar', { attestation_name: 'quality', sonar_results: SONAR }],
    ['pull_request', { attestation_name: 'review', git_provider: 'gitlab', pull_requests: [PULL_REQUEST] }],
    [
      'system',
      {
        attestation_name: 'verdict',
        type_name: 'decision',
        control: 'SOX-1',
        attestation_data: { is_compliant: true },
      },
    ],
    [
      'system',
      {
        attestation_name: 'sbom',
        type_name: 'sbom',
        ...app,
        attestation_data: { format: 'cyclonedx-1.6', original_fingerprint: digestOf(sbom) },
      },
      { attachment_file: sbom },
    ],
    ['bundle', { attestation_name: 'signed' }, { bundle_file: signed('https://slsa.dev/provenance/v1') }],
    ['bundle', { attestation_name: 'stated', ...app }, { bundle_file: '{"mediaType":"text/plain"}' }],
    [
      'override',
      { attestation_name: 'unit', reason: 'r', new_compliance_status: true, original_attestation_type: 'junit' },
    ],
  ];
}

/** A statement about the artifact, signed by a key. */
function signed(predicateType: string): string {
  const subject = [{ name: 'app', digest: { sha256: fingerprintOf('app') } }];
  const predicate = { runDetails: { builder: { id: 'https://ci.example/builder' } } };
  const payload = JSON.stringify(statement({ subject, predicateType, predicate }));
  return JSON.stringify(envelope(KNOWN_KEY, { payload }));
}

const SNYK = {
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
};
const SONAR = {
  serverUrl: 'https://sonar.example',
  taskId: 't',
  status: 'SUCCESS',
  analysedAt: '2026-01-01T00:00:00+0000',
  revision: shaOf('kinds'),
  project: { key: 'k', name: 'n', url: 'https://sonar.example/k' },
  qualityGate: { status: 'ERROR', conditions: [] },
};
const PULL_REQUEST = {
  merge_commit: shaOf('kinds'),
  url: 'https://git.example/1',
  state: 'merged',
  author: 'a',
  approvers: [{ username: 'b', state: 'APPROVED' }],
  commits: [aCommit('kinds')],
};

/** One attachment that was uploaded before its attestation, and an upload that no attestation names. */
async function attached(acme: EnvironmentsOfOrganization): Promise<void> {
  const bytes = Buffer.from('uploaded before');
  const sha256 = digestOf(bytes);
  const announced = { filename: 'report.txt', size: bytes.length, sha256, content_type: 'text/plain' };
  await sent(acme, 'POST', '/attachments/ORG', announced);
  const { attachment_id, upload } = (await sent(acme, 'POST', '/attachments/ORG', announced)) as {
    attachment_id: string;
    upload: { method: string; url: string; fields: Record<string, string> };
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
  form.append('file', new Blob([bytes]), announced.filename);
  const uploaded = await fetch(upload.url, { method: upload.method, body: form });
  if (!uploaded.ok) throw new Error(await uploaded.text());
  const fields = { attestation_name: 'uploaded', is_compliant: true, attachments: [attachment_id] };
  await acme.attest('generic', fields, PLACE);
}

/** An environment of each kind with a snapshot, one with a former name, and a policy that names a control. */
export async function environmentsOfEachKind(acme: EnvironmentsOfOrganization): Promise<void> {
  const common = { digests: { app: fingerprintOf('app') }, creationTimestamp: 1_776_000_000 };
  const owners = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'u', controller: true }];
  for (const [kind, more] of [
    ['docker', {}],
    ['S3', {}],
    ['lambda', {}],
    ['K8S', { podName: 'web-1-x', namespace: 'shop', owners }],
    ['ECS', { taskArn: 'task/1', cluster_name: 'c', service_name: 's' }],
    ['azure-apps', { app_name: 'shop', app_kind: 'linux', digests_source: 'logs' }],
    ['cloud-run', { kind: 'service', serviceName: 'shop', revisionName: 'shop-1' }],
  ] as const) {
    await acme.putEnvironment(kind, kind);
    await acme.run(kind, { artifacts: [{ ...common, ...more }] }, { kind });
  }
  await sent(acme, 'PUT', '/environments/ORG/docker/rename', { new_name: 'containers' });
  await acme.putPolicy('controlled', policyText('attestations: [{type: decision, for_control: SOX-1}]'));
  await acme.attach('K8S', 'controlled', 'loose');
  await acme.detach('K8S', 'loose');
  const archived = { identifier: 'OLD-1', name: 'Left', description: 'no longer used' };
  await sent(acme, 'POST', '/controls/ORG', archived);
  await sent(acme, 'POST', '/controls/ORG/OLD-1/archive', null);
}
