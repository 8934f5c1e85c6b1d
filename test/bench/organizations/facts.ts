import { createHash } from 'node:crypto';

/** Names and contents in the organizations of the benchmark. */

export const FLOW = 'web';
/** The number of environments whose reports change nothing, and also of those whose every report is a change. */
export const ENVIRONMENTS = 20;
/** An environment that is read, or reported without a change. */
export const unchangedEnvironment = (n: number): string => `env-${n % ENVIRONMENTS}`;
/** An environment whose every report is a change. */
export const changingEnvironment = (n: number): string => `changing-${n % ENVIRONMENTS}`;
/** An environment of either kind. There are more environments than clients, so that writes seldom conflict. */
export const anyEnvironment = (n: number): string =>
  n % 2 === 0 ? changingEnvironment(n / 2) : unchangedEnvironment((n - 1) / 2);
/** The number of further flows, which have no trails. */
export const FLOWS = 64;
export const flowName = (n: number): string => `flow-${n % FLOWS}`;
/** The number of reported artifacts that run in each environment. */
export const RUNNING = 10;
/** The number of snapshots of the environment `history`. */
export const SNAPSHOTS = 30;

export const fingerprintOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/** The content of the i-th artifact that runs in the environments. */
export const runningContent = (org: string, i: number): string => `${org} runs ${i}`;
/** The fingerprint of the i-th artifact that runs in the environments. */
export const runningFingerprint = (org: string, i: number): string => fingerprintOf(runningContent(org, i));

export const COMMIT_SHA = createHash('sha1').update('commit').digest('hex');
const COMMIT = {
  sha1: COMMIT_SHA,
  message: 'Change the colour of the button',
  author: 'Ada <ada@example.com>',
  timestamp: 1_776_252_244,
  branch: 'main',
  url: `https://git.example/acme/web/commit/${COMMIT_SHA}`,
};

export const TEMPLATE = `version: 1
trail:
  attestations:
${Array.from({ length: 10 }, (_, i) => `    - {name: check-${i}, type: generic}`).join('\n')}
`;

/** An attestation with about 2 KB of data that does not compress. */
export const attestation = (name: string, n: number) => ({
  attestation_name: name,
  git_commit_info: COMMIT,
  user_data: { noise: Array.from({ length: 25 }, (_, i) => fingerprintOf(`${n} ${i}`)).join('') },
});

export const artifactReport = (content: string, trail: string) => ({
  fingerprint: fingerprintOf(content),
  filename: 'registry.example/web:1.0',
  git_commit: COMMIT_SHA,
  git_commit_info: COMMIT,
  build_url: 'https://ci.example/builds/1',
  commit_url: COMMIT.url,
  repo_url: '',
  template_reference_name: 'web',
  trail_name: trail,
});

/** A report of an environment with the organization's artifacts and one artifact that was never reported to a flow. */
export const serverReport = (org: string, unknownContent = 'always the same unknown artifact') => ({
  artifacts: [
    ...Array.from({ length: RUNNING }, (_, i) => ({
      digests: { [`service-${i}`]: runningFingerprint(org, i) },
      creationTimestamp: 1_776_000_000,
    })),
    { digests: { unknown: fingerprintOf(unknownContent) }, creationTimestamp: 1_776_000_000 },
  ],
});

export const STRICT_POLICY = `_schema: https://schemas.example/schemas/policy/environment/v1
artifacts:
  provenance: {required: true}
  trail-compliance: {required: true}
`;
