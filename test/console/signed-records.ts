import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';

interface Source {
  url: string;
  key: string;
  org: string;
}

/** Signers, trust roots and recalls for pictures of their pages, in the order in which they can be saved. */
const RECORDS: readonly (readonly [path: string, bodies: readonly object[]])[] = [
  [
    'trust-roots/release-key',
    [
      { kind: 'public-key', public_key: PUBLIC_KEY },
      { kind: 'public-key', public_key: PUBLIC_KEY, description: 'The key of the release machine' },
    ],
  ],
  [
    'signers/release',
    [
      {
        trust_root: 'sigstore-public',
        issuer: 'https://token.actions.githubusercontent.com',
        subjects: ['https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main'],
      },
      {
        trust_root: 'sigstore-public',
        issuer: 'https://token.actions.githubusercontent.com',
        subjects: [
          'https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main',
          'https://github.com/acme/web/.github/workflows/hotfix.yml@refs/heads/release-*',
        ],
        claims: { runner_environment: 'github-hosted', source_repository_uri: 'https://github.com/acme/web' },
        description: 'Builds of the shop on hosted runners',
      },
    ],
  ],
  ['signers/release-machine', [{ trust_root: 'release-key' }]],
  [
    'recalls/laptop',
    [
      { signer: 'release-machine', reason: 'The key was on a laptop that was stolen, INC-4711' },
      { signer: 'release-machine', from: 1_782_864_000, reason: 'The key was on a laptop that was stolen, INC-4711' },
    ],
  ],
  [
    'recalls/broken-run',
    [
      {
        run: 'https://github.com/acme/web/actions/runs/9876543210/attempts/1',
        until: 1_782_864_000,
        reason: 'A dependency of the run was replaced',
      },
    ],
  ],
];

/**
 * Saves records about signatures, each in all of its versions. What there is already stays as it is.
 *
 * @throws Error if the service refuses one
 */
export async function saveSignedRecords({ url, key, org }: Source): Promise<void> {
  for (const [path, bodies] of RECORDS) {
    const [kind, name] = path.split('/');
    for (const body of bodies) {
      const answer = await fetch(`${url}/api/v2/${kind}/${org}/${name}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    }
  }
}
