import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, newFingerprint, type Sent, type Stack } from '../story/stack-api.ts';
import {
  type Client,
  isSuccess,
  type Ledger,
  LONGEST_PAUSE_MILLIS,
  type ReleaseWrite,
  reportOf,
  retry,
  retryUntilDone,
} from './traffic.ts';

/**
 * Clients that release artifacts into environments with a policy. They report each artifact before its evidence exists, so
 * that the verdict on the environment is right only if every piece of evidence raises the environment's mark.
 */

export const RELEASERS = 3;
export const RELEASE_FLOW = 'released';
/** A logical environment that contains the environments of all releasers. */
export const GROUP = 'all-watched';
export const watchedEnvironment = (releaser: number): string => `watched-${releaser}`;

const CONTROL = 'SC-1';
const POLICY = 'strict';
/** Each trail begins with a template file. The second one also asks for evidence of the trail. */
const TEMPLATES = [
  'version: 1\ntrail:\n  artifacts:\n    - name: service\n      attestations:\n        - name: scan\n          type: generic\n',
  'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n  artifacts:\n    - name: service\n',
];
const ALLOW = 'package policy\n\nallow := count(input.trails) == 1\n';
/** A new version of the policy comes with one release of this many. */
const NEW_POLICY_EVERY = 8;

/** The text of the policy differs in each version, and its rules do not. */
const policyFile = (version: string) => `# ${version}
_schema: https://evidence.example.com/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
  attestations:
    - type: generic
      name: scan
    - type: decision
      for_control: ${CONTROL}
`;

const putPolicy = (stack: Pick<Stack, 'call'>, version: string): Promise<Answer> =>
  stack.call('PUT', '/policies', {
    form: { name: POLICY },
    part: 'payload',
    files: { policy_file: policyFile(version) },
  });

/** Makes what the releasers need: control, policy, environments and the logical environment. */
export async function prepareReleases(admin: Stack): Promise<void> {
  const control = { identifier: CONTROL, name: 'Every release is evaluated' };
  const headers = { 'idempotency-key': 'control' };
  await retryUntilDone(async () => isSuccess(await admin.call('POST', '/controls', { json: control, headers })));
  await retryUntilDone(async () => isSuccess(await putPolicy(admin, 'version of the start')));
  const names = Array.from({ length: RELEASERS }, (_, i) => watchedEnvironment(i));
  const environments = [
    ...names.map((name) => ({ name, type: 'server', policies: [POLICY] })),
    { name: GROUP, type: 'logical', included_environments: names },
  ];
  for (const json of environments) {
    await retryUntilDone(async () => isSuccess(await admin.call('PUT', '/environments', { json })));
  }
}

/** Releases artifacts one after another into an environment of its own. */
export const releaser =
  (stack: Stack, ledger: Ledger, number: number): Client =>
  async (isRunning) => {
    const env = watchedEnvironment(number);
    const write = async (
      kind: ReleaseWrite['kind'],
      trail: string,
      ...[method, path, sent]: [string, string, Sent]
    ) => {
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const made: ReleaseWrite = {
        kind,
        trail,
        answered: false,
        send: () => stack.call(method, path, { ...sent, headers }),
      };
      ledger.releases.push(made);
      made.answered = isSuccess(await retry(made.send));
      await sleep(randomInt(LONGEST_PAUSE_MILLIS));
      return made.answered;
    };
    for (let round = 1; isRunning(); round += 1) {
      const trail = `release-${number}-${round}`;
      const fingerprint = newFingerprint();
      const attest = (name: string, more: object) =>
        write('attestation', trail, 'POST', `/attestations/${RELEASE_FLOW}/trail/${trail}/generic`, {
          form: { attestation_name: name, ...more },
        });
      const template = { template_file: TEMPLATES[round % TEMPLATES.length] ?? '' };
      // Without an answer the rest of the round is skipped: the next write could create what this write should create.
      if (!(await write('trail', trail, 'PUT', `/trails/${RELEASE_FLOW}`, { form: { name: trail }, files: template })))
        continue;
      const artifact = { ...REPORTED, trail_name: trail, template_reference_name: 'service', fingerprint };
      if (!(await write('artifact', trail, 'POST', `/artifacts/${RELEASE_FLOW}`, { json: artifact }))) continue;
      ledger.reports.push(await reportOf(stack, env, fingerprint));
      await attest('scan', { artifact_fingerprint: fingerprint, is_compliant: false });
      await attest('review', { is_compliant: true });
      await attest('scan', { artifact_fingerprint: fingerprint, is_compliant: true });
      await write('evaluation', trail, 'POST', '/evaluations', {
        json: {
          context: { trails: [{ flow: RELEASE_FLOW, trail }] },
          policy: { files: { 'policy.rego': ALLOW } },
          decision: { control: CONTROL, flow: RELEASE_FLOW, trail, fingerprint },
        },
      });
      if (round % NEW_POLICY_EVERY === 0) await retry(() => putPolicy(stack, trail));
    }
  };

const REPORTED = {
  filename: 'service.tar',
  git_commit: 'b'.repeat(40),
  build_url: 'https://ci.example/2',
  commit_url: 'https://code.example/2',
};
