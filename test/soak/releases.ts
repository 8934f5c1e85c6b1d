import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { readAllExpanded } from '#shared/environments/records/expanded.ts';
import { testName } from '#test/support/ids.ts';
import { type Answer, newFingerprint, type Sent, type Stack } from '../story/stack-api.ts';
import type { StoredData } from './stored-data.ts';
import {
  type Client,
  isSuccess,
  type Ledger,
  LONGEST_PAUSE_MILLIS,
  type ReleaseWrite,
  reportOf,
  retry,
  retryUntilDone,
  sendReport,
} from './traffic.ts';

/**
 * Clients that release artifacts into environments with a policy. They report each artifact before its evidence exists, so
 * that the verdict on the environment is right only if every piece of evidence raises the environment's mark.
 */

export const RELEASERS = 4;
export const RELEASE_FLOW = 'released';
/** A logical environment that contains the environments of all releasers. */
export const GROUP = 'all-watched';
/** The environments of the releasers. */
export const WATCHED: readonly string[] = Array.from({ length: RELEASERS }, (_, i) => `watched-${i}`);

const CONTROL = 'SC-1';
const POLICY = 'strict';
/** Each trail begins with a template file. The second one also asks for evidence of the trail. */
const TEMPLATES = [
  'version: 1\ntrail:\n  artifacts:\n    - name: service\n      attestations:\n        - name: scan\n          type: generic\n',
  'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n  artifacts:\n    - name: service\n',
];
const ALLOW = 'package policy\n\nallow := count(input.trails) == 1\n';
/** A new version of the policy comes with one release of this many. */
const NEW_POLICY_EVERY = 4;
/** Most artifacts that run in an environment at the same time. */
const RUNNING = 3;

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
  const environments = [
    ...WATCHED.map((name) => ({ name, type: 'server', policies: [POLICY] })),
    { name: GROUP, type: 'logical', included_environments: WATCHED },
  ];
  for (const json of environments) {
    await retryUntilDone(async () => isSuccess(await admin.call('PUT', '/environments', { json })));
  }
}

/** A client that releases artifacts into an environment of its own and adds evidence about them. */
export interface Releaser {
  /** Releases the first artifact, and waits until all effects of its snapshot are applied. */
  start(stored: StoredData): Promise<void>;
  run: Client;
}

/**
 * Each snapshot raises the mark of its environment, which hides that evidence raised none. Therefore the second half of the
 * releasers release one artifact only, and then nothing but evidence raises the marks of their environments.
 */
export function releaser(stack: Stack, ledger: Ledger, number: number): Releaser {
  const env = WATCHED[number] ?? '';
  const write = async (kind: ReleaseWrite['kind'], trail: string, ...[method, path, sent]: [string, string, Sent]) => {
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
  const attest = (trail: string, form: object) =>
    write('attestation', trail, 'POST', `/attestations/${RELEASE_FLOW}/trail/${trail}/generic`, { form });
  const scan = ({ trail, fingerprint }: Release, isCompliant: boolean) =>
    attest(trail, { attestation_name: 'scan', artifact_fingerprint: fingerprint, is_compliant: isCompliant });
  let releases = 0;
  const release = async (): Promise<Release | null> => {
    releases += 1;
    const [trail, fingerprint] = [`release-${number}-${releases}`, newFingerprint()];
    const template = { template_file: TEMPLATES[releases % TEMPLATES.length] ?? '' };
    const artifact = { ...REPORTED, trail_name: trail, template_reference_name: 'service', fingerprint };
    const isReported =
      (await write('trail', trail, 'PUT', `/trails/${RELEASE_FLOW}`, { form: { name: trail }, files: template })) &&
      (await write('artifact', trail, 'POST', `/artifacts/${RELEASE_FLOW}`, { json: artifact }));
    // Without an answer there is no release: the next write could create what this write should create.
    return isReported ? { trail, fingerprint } : null;
  };

  /** The newest first. */
  let running: Release[] = [];
  const report = () => retry(() => sendReport(stack, env, fingerprintsOf(running)));
  const start = async () => {
    const started = await release();
    if (!started) return false;
    running = [started, ...running].slice(0, RUNNING);
    ledger.reports.push(await reportOf(stack, env, fingerprintsOf(running)));
    return true;
  };
  const addEvidence = async (round: number, isRunning: () => boolean) => {
    const [[newest], oldest] = [running, running.at(-1)];
    if (!newest || !oldest) return;
    const evidence = [
      () => scan(newest, false),
      () => attest(newest.trail, { attestation_name: 'review', is_compliant: true }),
      () => write('evaluation', newest.trail, 'POST', '/evaluations', { json: evaluationOf(newest) }),
      () => scan(newest, true),
      () => scan(oldest, round % 2 === 0),
    ];
    for (const add of evidence) {
      if (!isRunning()) return;
      await add();
      await report();
    }
  };

  return {
    start: async (stored) => {
      await retryUntilDone(start);
      await retryUntilDone(async () => {
        await report();
        await sleep(LONGEST_PAUSE_MILLIS);
        return hasNoEffectsLeft(stored, env);
      });
    },
    run: async (isRunning) => {
      for (let round = 1; isRunning(); round += 1) {
        if (number < RELEASERS / 2) await start();
        await addEvidence(round, isRunning);
        if (round % NEW_POLICY_EVERY === 0) await retry(() => putPolicy(stack, `after round ${round} of ${number}`));
      }
    },
  };
}

/** Whether every snapshot of an environment is expanded, and the mark that each expansion raised had its report. */
async function hasNoEffectsLeft({ table, org }: StoredData, env: string): Promise<boolean> {
  const head = await findEnvironment(table, org, testName(env));
  if (!head || head.index === 0) return false;
  const expanded = await readAllExpanded(table, org, [head.id]);
  return expanded.get(head.id)?.index === head.index && head.mark === head.evaluatedMark;
}

interface Release {
  trail: string;
  fingerprint: string;
}

const fingerprintsOf = (releases: readonly Release[]) => releases.map(({ fingerprint }) => fingerprint);

/** A request for an evaluation whose decision is recorded in the trail of the release. */
const evaluationOf = ({ trail, fingerprint }: Release) => ({
  context: { trails: [{ flow: RELEASE_FLOW, trail }] },
  policy: { files: { 'policy.rego': ALLOW } },
  decision: { control: CONTROL, flow: RELEASE_FLOW, trail, fingerprint },
});

const REPORTED = {
  filename: 'service.tar',
  git_commit: 'b'.repeat(40),
  build_url: 'https://ci.example/2',
  commit_url: 'https://code.example/2',
};
