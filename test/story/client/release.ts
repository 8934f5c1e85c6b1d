import { expect } from 'vitest';
import { type Client, KEYS, ORG } from './client.ts';
import { commitOf, FINGERPRINT } from './workspace.ts';

/** Reads the trail `v1` of the flow `release` and its evidence. */

interface StatusEntry {
  attestation_name: string;
  attestation_id: string | null;
  overridden_attestation_id: string | null;
  status: string;
  is_compliant: boolean | null;
  unexpected: boolean;
}

interface Trail {
  description: string;
  compliance_state: string;
  user_data: unknown;
  external_urls: unknown;
  git_commit_info: unknown;
  compliance_status: {
    attestations_statuses: StatusEntry[];
    artifacts_statuses: Record<string, { status: string; attestations_statuses: StatusEntry[] }>;
  };
  events: { type: string }[];
}

interface Attestation {
  attestation_id: string;
  attestation_type: string;
  is_compliant: boolean;
  attachments: { filename: string; size: number; sha256: string }[];
  [field: string]: unknown;
}

/** Flags of the story's trail, its commit and its artifact. */
export const TRAIL = ['--flow', 'release', '--trail', 'v1'];
export const COMMIT = ['--commit', 'HEAD', '--repo-root', 'repo'];
export const OF_ARTIFACT = ['--fingerprint', FINGERPRINT];

/** A time as tables show it. */
export const TIME = String.raw`\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC`;
/** Times in tables are followed by how long ago they were. */
export const since = (label: string) => expect.stringMatching(new RegExp(`^${label}: +${TIME} • .* ago$`));

/** The incomplete artifact as the client shows it. */
export const shownArtifact = (client: Client) => [
  'Name:  client.bin',
  'Flow:  release',
  'Trail:  v1',
  'Name in template:  client',
  `Fingerprint:  ${FINGERPRINT}`,
  since('Created on'),
  `Git commit:  ${commitOf(client.dir)}`,
  'Commit URL:  https://code.example/c/1',
  'Build URL:  https://ci.example/1',
  expect.stringContaining(
    `Artifact URL:  ${client.address}/${ORG}/flows/release/artifacts/${FINGERPRINT}?artifact_id=`,
  ),
  'State:  INCOMPLETE',
  'History:',
  expect.stringMatching(`^client reported  ${TIME}$`),
];

/** What the client prints when it asserts the incomplete artifact. */
export const refusedAssertion = (client: Client) => [
  'Error: NON-COMPLIANT',
  'Flow: release',
  'Trail: v1',
  'Attestation-name  type  status  compliant',
  'lint  generic  COMPLETE  true',
  'unit-tests  junit  MISSING  false',
  'age  custom:age-check  MISSING  false',
  `See more details at ${client.address}/${ORG}/flows/release/artifacts/${FINGERPRINT}`,
];

/** Returns functions that read the release through the client. */
export function releaseOf(client: Client) {
  const { json } = client;
  const trail = () => json<Trail>('get', 'trail', 'v1', '--flow', 'release');
  const attestations = (name: string, ...scope: string[]) =>
    json<Attestation[]>('get', 'attestation', name, '--flow', 'release', ...scope);

  /** The state of the trail, and of its own and the artifact's attestations: `true`, `false` or `missing`. */
  const verdict = async () => {
    const { compliance_state, compliance_status } = await trail();
    const { attestations_statuses, artifacts_statuses } = compliance_status;
    const artifact = artifacts_statuses['client'];
    return {
      trail: compliance_state,
      ...words(attestations_statuses),
      client: { is: artifact?.status, ...words(artifact?.attestations_statuses ?? []) },
    };
  };

  /** Sends the request that the client sends after it has asked a third party. */
  const post = async (kind: string, document: object) => {
    const form = new FormData();
    form.append('data_json', JSON.stringify(document));
    form.append('attachment_file', new Blob(['what the third party said']), 'report.json');
    const response = await fetch(`${client.url}/api/v2/attestations/${ORG}/release/trail/v1/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.ann}` },
      body: form,
    });
    expect([response.status, await response.json()]).toEqual([201, 'OK']);
  };

  return { trail, attestations, verdict, post };
}

const words = (entries: readonly StatusEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.map(({ attestation_name, is_compliant, unexpected }) => [
      attestation_name + (unexpected ? ' (unexpected)' : ''),
      is_compliant === null ? 'missing' : `${is_compliant}`,
    ]),
  );
