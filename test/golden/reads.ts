import { CALLERS, type ReadRequest } from './golden-file.ts';

/** Values that requests name, by kind. A kind with several values makes one request of each. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** The reads of each operation: paths below `/api/v2` with `{kinds of names}`, and queries. */
export const READS: Readonly<Record<string, readonly string[]>> = {
  listFlows: ['/flows/{org}', '/flows/{org}?page=1&per_page=2&sort=name&sort_direction=desc'],
  getFlow: ['/flows/{org}/{flow}'],
  getFlowFrequency: ['/flows/{org}/{flow}/frequency'],
  getOrganizationFrequency: ['/organizations/{org}/frequency'],

  listTrails: [
    '/trails/{org}',
    '/trails/{org}?page=1&per_page=2&sort_direction=asc',
    '/trails/{org}?page=3&per_page=20',
    '/trails/{org}?flow=api&flow=web',
    '/trails/{org}?flow_tag=team:a',
    '/trails/{org}?compliance_state=NON-COMPLIANT',
    '/trails/{org}?fingerprint={fingerprint}',
  ],
  listFlowTrails: ['/trails/{org}/{flow}'],
  getTrail: ['/trails/{org}/{trail}', '/trails/{org}/{trail}?moment=1'],
  listTrailMoments: ['/trails/{org}/{trail}/moments'],
  getTrailReceipt: ['/receipts/{org}/trails/{trail}/1'],
  getTrailStatement: ['/trails/{org}/{trail}/statement', '/trails/{org}/{trail}/statement?format=sigstore'],

  listArtifacts: ['/artifacts/{org}', '/artifacts/{org}?flow_name=api', '/artifacts/{org}?repo_name={repo}'],
  listFlowArtifacts: ['/artifacts/{org}/{flow}'],
  getArtifact: ['/artifacts/{org}/{artifact}'],
  getArtifactsByCommit: ['/artifacts/{org}/{flow}/commit_sha/{commit}'],
  getLatestCommit: ['/artifacts/{org}/{flow}/{fingerprint}/latest_commit'],
  getArtifactStatement: ['/artifacts/{org}/{artifact}/statement'],

  getTrailAttestations: ['/attestations/{org}/{trailAttestation}'],
  getArtifactAttestations: ['/attestations/{org}/{artifactAttestation}'],
  listAttestations: [
    '/attestations/{org}',
    '/attestations/{org}?attestation_id={attestation}',
    '/attestations/{org}?flow=api&is_compliant=false',
    '/attestations/{org}?control=SOX-1',
    '/attestations/{org}?attestation_type=junit',
  ],
  listAttachments: ['/attestations/{org}/{attestation}/attachments'],
  getAttachment: ['/attestations/{org}/{attachment}'],
  getAttachmentText: ['/attestations/{org}/{attachment}/text'],
  previewAttachment: ['/attestations/{org}/{attachment}/preview'],

  assertArtifact: [
    '/asserts/{org}/fingerprint/{fingerprint}',
    '/asserts/{org}/fingerprint/{asserted}?environment_name={physical}',
    '/asserts/{org}/fingerprint/{asserted}?policy_name={policy}',
  ],
  assertArtifactInEnvironments: ['/asserts/{org}/fingerprint/{fingerprint}/environments'],

  listCustomAttestationTypes: [
    '/custom-attestation-types/{org}',
    '/custom-attestation-types/{org}?archived=true',
    '/custom-attestation-types/{org}?short=true',
  ],
  getCustomAttestationType: ['/custom-attestation-types/{org}/{customType}'],

  listActions: ['/actions/{org}'],
  getAction: ['/actions/{org}/{action}'],
  listDeliveries: ['/actions/{org}/{action}/deliveries'],
  listAllDeliveries: ['/deliveries/{org}', '/deliveries/{org}?state=dead', '/deliveries/{org}?flow=api'],
  explainEvent: ['/deliveries/{org}/explain?flow=api&trail=second&moment=1'],
  getSigningSecret: ['/actions/{org}/{action}/signing-secret'],
  listEnvironmentNotifications: ['/organizations/{org}/environments_notifications'],
  getEnvironmentNotification: ['/organizations/{org}/environments_notifications/{notification}'],

  listEnvironments: [
    '/environments/{org}',
    '/environments/{org}?include=states&per_page=20',
    '/environments/{org}?include=silence&per_page=20',
    '/environments/{org}?type=K8S',
  ],
  getEnvironment: ['/environments/{org}/{environment}', '/environments/{org}/{environment}?include=silence'],
  listEnvironmentEvents: ['/environments/{org}/{environment}/events', '/environments/{org}/prod/events?reverse=true'],
  listEnvironmentArtifacts: ['/environments/{org}/{physical}/artifacts'],
  getDeploymentFrequency: ['/environments/{org}/{environment}/deployment_frequency'],
  listDeployments: ['/environments/{org}/{physical}/deployments'],
  listPresence: ['/environments/{org}/{physical}/presence'],
  listAllowedArtifacts: ['/allowlists/{org}/{physical}'],
  listSnapshots: ['/snapshots/{org}/{environment}'],
  getSnapshot: ['/snapshots/{org}/{environment}/1', '/snapshots/{org}/{environment}/~0'],
  listSnapshotArtifacts: ['/snapshots/{org}/{environment}/~0/artifacts'],
  diffSnapshots: [
    '/env-diff/{org}?snappish1=prod%231&snappish2=stage',
    '/env-diff/{org}?environment={environment}&from=0',
  ],
  getEnvironmentReceipt: ['/receipts/{org}/environments/{environment}/1'],
  getSnapshotStatement: ['/snapshots/{org}/{environment}/1/statement'],

  listPolicies: ['/policies/{org}'],
  getPolicy: ['/policies/{org}/{policy}'],
  getEnvironmentPolicySchema: ['/schemas/environment-policy/v1'],

  listControls: ['/controls/{org}', '/controls/{org}?archived=true', '/controls/{org}?tag=owner:SOX-1'],
  getControl: ['/controls/{org}/{control}'],
  listControlVersions: ['/controls/{org}/{control}/versions'],
  getControlVersion: ['/controls/{org}/{control}/versions/1'],
  getControlCoverage: ['/controls/{org}/{control}/coverage'],

  listEvaluations: ['/evaluations/{org}'],
  getEvaluation: ['/evaluations/{org}/{evaluation}', '/evaluations/{org}/{evaluation}?explain=true'],
  getEvaluationRequest: ['/evaluations/{org}/{evaluation}/request'],
  getEvaluationStatement: ['/evaluations/{org}/{ended}/statement'],

  listTrustRoots: ['/trust-roots/{org}'],
  getTrustRoot: ['/trust-roots/{org}/{root}'],
  listTrustRootVersions: ['/trust-roots/{org}/{root}/versions'],
  listSigners: ['/signers/{org}'],
  getSigner: ['/signers/{org}/{signer}'],
  listSignerVersions: ['/signers/{org}/{signer}/versions'],
  listRecalls: ['/recalls/{org}'],
  getRecall: ['/recalls/{org}/{recall}'],
  listRecallVersions: ['/recalls/{org}/{recall}/versions'],
  getRecallImpact: ['/recalls/{org}/{recall}/impact'],

  listComponents: ['/components/{org}?purl=pkg:npm/lodash@1.0.0', '/components/{org}?name=lo'],
  // Cursors have the instant that the pages are about.
  getExposure: ['/components/{org}/exposure?purl=pkg:npm/lodash@1.0.0&at={instant}'],
  getComponentDifferences: ['/components/{org}/differences?from={fingerprint}&to={fingerprint}'],
  listSbomComponents: ['/components/{org}/sboms/{attestation}'],

  listWatches: ['/watches/{org}'],
  getWatch: ['/watches/{org}/{watch}'],
  getWatchCase: ['/watches/{org}/{watch}/case'],
  listExpectations: ['/expectations/{org}', '/expectations/{org}?include=counts'],
  getExpectation: ['/expectations/{org}/{expectation}'],
  listExpectationVersions: ['/expectations/{org}/{expectation}/versions'],
  listExpectationSubjects: ['/expectations/{org}/{expectation}/subjects'],

  listGaps: ['/gaps/{org}', '/gaps/{org}?state=open&expectation=prod-reports', '/gaps/{org}?subject=prod&from=0'],
  getGap: ['/gaps/{org}/{gap}'],
  getGapStatement: ['/gaps/{org}/{gap}/statement'],
  getCaseStatement: ['/watches/{org}/{watch}/case/statement'],

  listBuilds: ['/builds/{org}', '/builds/{org}?repo_name={repo}'],
  listRepos: ['/repos/{org}', '/repos/{org}?tag=team'],
  getRepo: ['/repos/{org}/{repo}'],
  searchSha: ['/search/{org}/sha/{fingerprint}', '/search/{org}/sha/{commit}'],
  searchNames: ['/search/{org}?q=web', '/search/{org}?q=prod', '/search/{org}?q=SOX'],

  listServiceAccounts: ['/service-accounts/{org}'],
  getServiceAccount: ['/service-accounts/{org}/{account}'],
  listServiceAccountKeys: ['/service-accounts/{org}/{account}/api-keys'],
  getServiceAccountKey: ['/service-accounts/{org}/{accountKey}'],
  listTrusts: ['/trusts/{org}'],
  getTrust: ['/trusts/{org}/{trust}'],
  getDefaultOrganization: ['/user/default-org'],
  listPersonalKeys: ['/user/api-keys'],
  getPersonalKey: ['/user/api-keys/{personalKey}'],
  getUser: ['/user'],
  listSessions: ['/user/sessions'],
  listMembers: ['/organizations/{org}/members'],
  listAuditEntries: ['/audit/{org}', '/audit/{org}?per_page=100', '/audit/{org}?kind=policy'],
  getEvaluationReceipt: ['/receipts/{org}/evaluations/{ended}'],
  getAuditReceipt: ['/receipts/{org}/audit/{auditEntry}'],

  listExports: ['/exports/{org}'],
  getExport: ['/exports/{org}/{export}'],
  getLog: ['/log/{org}'],
  getCheckpoint: ['/log/{org}/checkpoint'],
  getTile: ['/log/{org}/tile/{tile}'],
  getWitness: ['/witness'],
  getCosignedCheckpoint: ['/witness/{witnessed}/checkpoint'],
};

/** Operations that read no record, with the reason. */
export const NO_RECORD: Readonly<Record<string, string>> = {
  getPackage: 'no release leaves a package: see ABSENT of the test; it has the record of an export',
  listDrafts: 'no release leaves a draft, which ends after an hour',
  getDraft: 'no release leaves a draft, which ends after an hour',
  getReady: 'it lies outside of the API; test/api/maintenance.table.test.ts asks it',
  getVersion: 'it describes the release and reads no record',
  getAgentResourceMetadata: 'it lies outside of the API and reads no record',
  getOpenApi: 'the description of the API; test/api compares it',
  getReference: 'a page',
  getReferenceLibrary: 'a file of a page',
  getReferenceStyle: 'a file of a page',
  getReferenceStart: 'a file of a page',
  getConsoleAsset: 'a file of the console',
  startSignIn: 'it sends the browser to the identity provider, with a new random state each time',
  finishSignIn: 'it writes a session',
};

/**
 * Fills the names into a template.
 *
 * @returns one path and query for each value of each name
 * @throws Error if the names have no value of a kind
 */
export function fill(template: string, names: Names): { path: string; query: string }[] {
  const [path = '', query = ''] = template.split('?');
  const kinds = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, kind = '']) => kind));
  return [...kinds].reduce(
    (filled, kind) => {
      const values = names[kind];
      if (!values || values.length === 0) throw new Error(`${template}: the sample has no ${kind}`);
      return filled.flatMap((one) =>
        values.map((value) => ({
          path: one.path.replaceAll(`{${kind}}`, value),
          query: one.query.replaceAll(`{${kind}}`, encodeURIComponent(value)),
        })),
      );
    },
    [{ path, query }],
  );
}

/**
 * Returns the requests of all operations. The admin asks for every name. Others are refused or answered by checks that do
 * not depend on the name, so they ask once per template.
 */
export const requestsOf = (names: Names): ReadRequest[] =>
  Object.entries(READS).flatMap(([operation, templates]) =>
    templates.flatMap((template) =>
      fill(template, names).flatMap((filled, i) =>
        CALLERS.filter((caller) => caller === 'admin' || i === 0).map((caller) => ({ operation, ...filled, caller })),
      ),
    ),
  );
