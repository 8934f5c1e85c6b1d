import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import type { ApiRequest } from '#test/support/api.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { STRICT } from '#test/support/policies.ts';
import { COMMIT, ENVIRONMENTS, FINGERPRINT, NAME } from './values.ts';

type Step = [method: string, path: string, request: ApiRequest];
type Call = (method: string, path: string, request?: ApiRequest) => Promise<TestAnswer>;

const form = (fields: Record<string, unknown>, files: Record<string, string> = {}, part = 'data_json') => ({
  form: { fields: { [part]: JSON.stringify(fields) }, files },
});
const TEMPLATE = `version: 1\ntrail:\n  attestations:\n    - {name: ${NAME}, type: generic}\n  artifacts:\n    - name: ${NAME}\n`;

/**
 * Makes one resource of each kind, all with the name {@link NAME}, so that generated requests can name existing resources.
 * @returns the path and the answer of each request
 * @throws Error if a request is refused, although all of them are valid
 */
export async function makeOneOfEverything(call: Call, org: string): Promise<{ path: string; answer: TestAnswer }[]> {
  const artifact = {
    fingerprint: FINGERPRINT,
    filename: NAME,
    git_commit: COMMIT,
    template_reference_name: NAME,
    trail_name: NAME,
    build_url: 'https://ci.example/1',
    commit_url: `https://git.example/${COMMIT}`,
    repo_url: '',
    git_commit_info: { sha1: COMMIT, message: 'm', author: 'a', timestamp: 1_776_252_244, branch: 'main' },
  };
  const running = { artifacts: [{ digests: { [NAME]: FINGERPRINT }, creationTimestamp: 1_776_000_000 }] };
  const target = { type: 'WEBHOOK', webhook: 'https://hooks.example/x' };
  const evaluation = {
    context: { trails: [{ flow: NAME, trail: NAME }] },
    policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    params: {},
  };
  const notification = {
    name: NAME,
    type: 'env',
    environments: [NAME],
    targets: [target],
    triggers: ['ON_NON_COMPLIANT_ENV'],
  };
  const trail = `/attestations/${org}/${NAME}/trail/${NAME}`;
  const requests: Step[] = [
    ['PUT', `/flows/${org}/template_file`, form({ name: NAME }, { template_file: TEMPLATE })],
    ['PUT', `/trails/${org}/${NAME}`, form({ name: NAME })],
    ['POST', `/artifacts/${org}/${NAME}`, { json: artifact }],
    ['POST', `${trail}/generic`, form({ attestation_name: NAME, is_compliant: true }, { attachment_file: 'log' })],
    [
      'POST',
      `/custom-attestation-types/${org}`,
      form({ name: NAME, evaluator: { content_type: 'jq', rules: ['.tests == 0'] } }),
    ],
    ['POST', `${trail}/custom`, form({ attestation_name: 'cover', type_name: NAME, attestation_data: { tests: 0 } })],
    ['PUT', `/environments/${org}`, { json: { name: NAME, type: 'server', description: '' } }],
    ...ENVIRONMENTS.map(
      (type): Step => ['PUT', `/environments/${org}`, { json: { name: type, type, description: '' } }],
    ),
    ['PUT', `/policies/${org}`, form({ name: NAME }, { policy_file: STRICT }, 'payload')],
    ['POST', `/environments/${org}/${NAME}/policies`, { json: { policy_names: [NAME] } }],
    ['PUT', `/environments/${org}/${NAME}/report/server`, { json: running }],
    [
      'PUT',
      `/actions/${org}/flows`,
      { json: { name: NAME, type: 'flow', targets: [target], triggers: ['ON_ATTESTATION'], flows: [NAME] } },
    ],
    ['POST', `/controls/${org}`, { json: { identifier: NAME, name: NAME } }],
    ['PUT', `/trust-roots/${org}/${NAME}`, { json: { kind: 'public-key', public_key: PUBLIC_KEY } }],
    ['PUT', `/signers/${org}/${NAME}`, { json: { trust_root: NAME } }],
    ['PUT', `/recalls/${org}/${NAME}`, { json: { signer: NAME, reason: 'a key leaked' } }],
    [
      'PUT',
      `/expectations/${org}`,
      { json: { name: NAME, kind: 'reports', scope: { environments: [NAME] }, every: 'PT20M' } },
    ],
    ['POST', `/service-accounts/${org}`, { json: { name: NAME, privilege: 'member' } }],
    ['POST', `/service-accounts/${org}/${NAME}/api-keys`, { json: { description: 'd' } }],
    [
      'PUT',
      `/trusts/${org}/${NAME}`,
      { json: { service_account: NAME, preset: 'github', audience: NAME, claims: { repository_id: '74' } } },
    ],
    ['POST', `/user/api-keys`, { json: { description: 'd' } }],
    ['POST', `/evaluations/${org}`, { json: evaluation }],
    ['PUT', `/organizations/${org}/environments_notifications`, { json: notification }],
    ['PATCH', `/tags/${org}/flow/${NAME}`, { json: { set_tags: { team: 'a' } } }],
    ['GET', `/attestations/${org}`, {}],
    ['GET', `/service-accounts/${org}/${NAME}/api-keys`, {}],
  ];
  const answers: { path: string; answer: TestAnswer }[] = [];
  for (const [method, path, request] of requests) {
    const answer = await call(method, path, request);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    answers.push({ path, answer });
  }
  return answers;
}
