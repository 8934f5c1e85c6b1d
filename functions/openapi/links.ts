import type { Linked } from '#shared/http/openapi/links.ts';

const ATTEST = [
  'Generic',
  'Custom',
  'IssueTracker',
  'Jira',
  'Junit',
  'Snyk',
  'Sonar',
  'PullRequest',
  'System',
  'Bundle',
  'Override',
];
const REPORTS = [
  ...['K8S', 'ContainerOrchestrator', 'ECS', 'CloudContainerOrchestrator', 'S3', 'ObjectStorage', 'Lambda'],
  ...['Serverless', 'Server', 'Docker', 'ContainerRuntime', 'AzureApps', 'CloudApps', 'CloudRun', 'CloudContainers'],
];

const FLOW = ['/flows/{org}/{flow}', '/trails/{org}/{flow}', '/artifacts/{org}/{flow}'];
const TRAIL = ['/trails/{org}/{flow}/{trail}', '/attestations/{org}/{flow}/trail/{trail}'];
const ARTIFACT = [
  '/artifacts/{org}/{flow}/fingerprint/{fingerprint}',
  '/artifacts/{org}/{flow}/{fingerprint}/latest_commit',
  '/asserts/{org}/fingerprint/{fingerprint}',
  '/search/{org}/sha/{sha}',
];
const ENVIRONMENT = ['/environments/{org}/{env_name}', '/snapshots/{org}/{env_name}', '/allowlists/{org}/{env_name}'];
const NOTIFICATION = '/organizations/{org}/environments_notifications/{notification_number}';
const CONTROL = [
  '/controls/{org}/{identifier}',
  '/tags/{org}/control/{resource_id}',
  '/tags/{org}/controls/{resource_id}',
];

const flow = (name: string) => ({ flow: name, flow_name: name });
const trail = (name: string) => ({ trail: name, trail_name: name });
const artifact = (fingerprint: string) => ({ fingerprint, sha: fingerprint });
/** What an operation made, by the header that names it (rules/requests.md#handles). */
const MADE = '$response.header.X-Resource-Id';
const control = (identifier: string) => ({ identifier, resource_id: identifier });

/**
 * The links of the OpenAPI document (rules/requests.md#links-of-the-description). Where a write answers only `"OK"`, the
 * links start at the fields of its JSON body, or at the header that names what it made.
 */
export const LINKS: readonly Linked[] = [
  { from: ['putFlow'], to: FLOW, parameters: flow('$request.body#/name') },
  { from: ['renameFlow'], to: FLOW, parameters: flow('$request.body#/new_name') },
  { from: ['putFlowWithTemplate'], to: FLOW, parameters: flow(MADE) },
  { from: ['getFlow'], to: FLOW, parameters: flow('$response.body#/name') },
  { from: ['beginTrail'], to: TRAIL, parameters: { flow_name: '$request.path.flow', ...trail(MADE) } },
  {
    from: ['listFlowTrails'],
    to: TRAIL,
    parameters: { ...trail('$response.body#/data/0/name'), flow_name: '$request.path.flow' },
  },
  {
    from: ['listTrails'],
    to: TRAIL,
    parameters: { ...flow('$response.body#/data/0/flow_name'), ...trail('$response.body#/data/0/name') },
  },
  {
    from: ['reportArtifact'],
    to: TRAIL,
    parameters: { flow: '$request.path.flow_name', ...trail('$request.body#/trail_name') },
  },
  {
    from: ['reportArtifact'],
    to: ARTIFACT,
    parameters: { flow: '$request.path.flow_name', ...artifact('$request.body#/fingerprint') },
  },
  {
    from: ['listArtifacts'],
    to: ARTIFACT,
    parameters: { flow: '$response.body#/0/flow_name', ...artifact('$response.body#/0/fingerprint') },
  },
  {
    from: ATTEST.map((kind) => `attest${kind}`),
    to: ['/attestations/{org}/{flow}/trail/{trail}/{name}', '/trails/{org}/{flow}/{trail}'],
    parameters: {
      flow: '$request.path.flow_name',
      trail: '$request.path.trail_name',
      name: '$request.body#/attestation_name',
    },
  },
  {
    from: ATTEST.map((kind) => `attest${kind}`),
    to: ['/attestations/{org}/{attestation_id}/attachments'],
    parameters: { attestation_id: MADE, n: '0' },
  },
  {
    from: ['reportBundles'],
    to: ['/attestations/{org}/{flow}/trail/{trail}/{name}', '/trails/{org}/{flow}/{trail}'],
    parameters: {
      flow: '$response.body#/flow_name',
      trail: '$response.body#/trail_name',
      name: '$request.body#/attestation_name',
    },
  },
  {
    from: ['listAttestations'],
    to: ['/attestations/{org}/{attestation_id}/attachments'],
    parameters: { attestation_id: '$response.body#/data/0/attestation_id', n: '0' },
  },
  {
    from: ['createCustomAttestationType'],
    to: ['/custom-attestation-types/{org}/{name}'],
    parameters: { name: MADE },
  },
  {
    from: ['listCustomAttestationTypes'],
    to: ['/custom-attestation-types/{org}/{name}'],
    parameters: { name: '$response.body#/0/name' },
  },
  { from: ['putFlowAction'], to: ['/actions/{org}/{action_number}'], parameters: { action_number: MADE } },
  {
    from: ['listActions'],
    to: ['/actions/{org}/{action_number}'],
    parameters: { action_number: '$response.body#/0/number' },
  },
  {
    from: ['listDeliveries'],
    to: ['/actions/{org}/{action_number}/deliveries/{delivery_id}'],
    parameters: { delivery_id: '$response.body#/deliveries/0/id' },
  },
  {
    from: ['putEnvironmentNotification', 'changeEnvironmentNotification'],
    to: [NOTIFICATION],
    parameters: { notification_number: MADE },
  },
  {
    from: ['listEnvironmentNotifications'],
    to: [NOTIFICATION],
    parameters: { notification_number: '$response.body#/0/number' },
  },
  { from: ['putEnvironment'], to: ENVIRONMENT, parameters: { env_name: '$request.body#/name', snappish: '-1' } },
  { from: ['renameEnvironment'], to: ENVIRONMENT, parameters: { env_name: '$request.body#/new_name', snappish: '-1' } },
  {
    from: REPORTS.map((kind) => `report${kind}`),
    to: ['/environments/{org}/{env_name}/events', '/snapshots/{org}/{env_name}'],
    parameters: { snappish: MADE },
  },
  {
    from: ['listSnapshots'],
    to: ['/snapshots/{org}/{env_name}/{snappish}'],
    parameters: { snappish: '$response.body#/0/index' },
  },
  { from: ['putPolicy'], to: ['/policies/{org}/{policy}'], parameters: { policy: MADE } },
  { from: ['listPolicies'], to: ['/policies/{org}/{policy}'], parameters: { policy: '$response.body#/0/name' } },
  {
    from: ['createControl'],
    to: CONTROL,
    parameters: { ...control('$request.body#/identifier'), version_number: '1' },
  },
  { from: ['listControls'], to: CONTROL, parameters: control('$response.body#/controls/0/identifier') },
  {
    from: ['getControl'],
    to: ['/controls/{org}/{identifier}'],
    parameters: { version_number: '$response.body#/version' },
  },
  {
    from: ['requestEvaluation'],
    to: ['/evaluations/{org}/{evaluation_id}'],
    parameters: { evaluation_id: '$response.body#/id' },
  },
  {
    from: ['listEvaluations'],
    to: ['/evaluations/{org}/{evaluation_id}'],
    parameters: { evaluation_id: '$response.body#/evaluations/0/id' },
  },
  {
    from: ['putExpectation'],
    to: ['/expectations/{org}/{name}', '/expectations/{org}/{name}/subjects'],
    parameters: { name: MADE },
  },
  {
    from: ['listExpectations'],
    to: ['/expectations/{org}/{name}'],
    parameters: { name: '$response.body#/expectations/0/name' },
  },
  {
    from: ['putWatch'],
    to: ['/watches/{org}/{name}', '/watches/{org}/{name}/case'],
    parameters: { name: MADE },
  },
  {
    from: ['listWatches'],
    to: ['/watches/{org}/{name}'],
    parameters: { name: '$response.body#/watches/0/name' },
  },
  {
    from: ['listGaps'],
    to: ['/gaps/{org}/{gap_id}'],
    parameters: { gap_id: '$response.body#/gaps/0/id' },
  },
  {
    from: ['putTrustRoot'],
    to: ['/trust-roots/{org}/{name}', '/trust-roots/{org}/{name}/versions'],
    parameters: { name: MADE },
  },
  {
    from: ['listTrustRoots'],
    to: ['/trust-roots/{org}/{name}'],
    parameters: { name: '$response.body#/trust_roots/0/name' },
  },
  {
    from: ['putSigner'],
    to: ['/signers/{org}/{name}', '/signers/{org}/{name}/versions'],
    parameters: { name: MADE },
  },
  {
    from: ['listSigners'],
    to: ['/signers/{org}/{name}'],
    parameters: { name: '$response.body#/signers/0/name' },
  },
  {
    from: ['putRecall'],
    to: ['/recalls/{org}/{name}', '/recalls/{org}/{name}/versions'],
    parameters: { name: MADE },
  },
  {
    from: ['listRecalls'],
    to: ['/recalls/{org}/{name}'],
    parameters: { name: '$response.body#/recalls/0/name' },
  },
  {
    from: ['listDrafts'],
    to: ['/drafts/{org}/{draft_id}'],
    parameters: { draft_id: '$response.body#/drafts/0/id' },
  },
  { from: ['startPackage'], to: ['/packages/{org}/{package_id}'], parameters: { package_id: '$response.body#/id' } },
  { from: ['startExport'], to: ['/exports/{org}/{export_id}'], parameters: { export_id: '$response.body#/id' } },
  {
    from: ['listExports'],
    to: ['/exports/{org}/{export_id}'],
    parameters: { export_id: '$response.body#/exports/0/id' },
  },
  {
    from: ['createServiceAccount'],
    to: ['/service-accounts/{org}/{name}'],
    parameters: { name: '$response.body#/name' },
  },
  { from: ['putTrust'], to: ['/trusts/{org}/{name}'], parameters: { name: MADE } },
  { from: ['listTrusts'], to: ['/trusts/{org}/{name}'], parameters: { name: '$response.body#/trusts/0/name' } },
  {
    from: ['issueServiceAccountKey', 'rotateServiceAccountKey'],
    to: ['/service-accounts/{org}/{name}/api-keys/{key_id}'],
    parameters: { key_id: MADE },
  },
  { from: ['issuePersonalKey', 'rotatePersonalKey'], to: ['/user/api-keys/{key_id}'], parameters: { key_id: MADE } },
  { from: ['listRepos'], to: ['/repos/{org}/{name}'], parameters: { name: '$response.body#/repos/0/name' } },
  { from: ['putMember'], to: ['/organizations/{org}/members/{user}'], parameters: {} },
];
