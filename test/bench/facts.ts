import { createHash } from 'node:crypto';

/** What the benchmark's organizations hold and report. */

export const FLOW = 'web';
/** Environments that are reported without a change, and as many whose every report is one. */
export const ENVIRONMENTS = 20;
export const steady = (n: number): string => `env-${n % ENVIRONMENTS}`;
/** Those that writes change are others than those that are read or reported without a change. */
export const changing = (n: number): string => `changing-${n % ENVIRONMENTS}`;
/** Any of all these, for writes that do not mind: more than there are clients, so that they seldom meet. */
export const anyEnvironment = (n: number): string => (n % 2 === 0 ? changing(n / 2) : steady((n - 1) / 2));
/** Flows beside {@link FLOW}, without trails. */
export const FLOWS = 64;
export const oneOfFlows = (n: number): string => `flow-${n % FLOWS}`;
/** Artifacts that run in each environment. */
export const RUNNING = 10;
/** Snapshots of the environment `history`. */
export const SNAPSHOTS = 30;

export const aFingerprint = (content: string): string => createHash('sha256').update(content).digest('hex');

/** The content of an artifact that runs from the beginning, and its fingerprint. */
export const aContent = (org: string, i: number): string => `${org} runs ${i}`;
export const anArtifact = (org: string, i: number): string => aFingerprint(aContent(org, i));

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

/** About 2 KB of facts that do not compress. */
export const attestation = (name: string, n: number) => ({
  attestation_name: name,
  git_commit_info: COMMIT,
  user_data: { noise: Array.from({ length: 25 }, (_, i) => aFingerprint(`${n} ${i}`)).join('') },
});

export const artifactReport = (content: string, trail: string) => ({
  fingerprint: aFingerprint(content),
  filename: 'registry.example/web:1.0',
  git_commit: COMMIT_SHA,
  git_commit_info: COMMIT,
  build_url: 'https://ci.example/builds/1',
  commit_url: COMMIT.url,
  repo_url: '',
  template_reference_name: 'web',
  trail_name: trail,
});

/** What a report of an environment holds: the organization's artifacts, and one that nobody knows. */
export const onServer = (org: string, stranger = 'the same stranger') => ({
  artifacts: [
    ...Array.from({ length: RUNNING }, (_, i) => ({
      digests: { [`service-${i}`]: anArtifact(org, i) },
      creationTimestamp: 1_776_000_000,
    })),
    { digests: { stranger: aFingerprint(stranger) }, creationTimestamp: 1_776_000_000 },
  ],
});

export const STRICT_POLICY = `_schema: https://schemas.example/schemas/policy/environment/v1
artifacts:
  provenance: {required: true}
  trail-compliance: {required: true}
`;
