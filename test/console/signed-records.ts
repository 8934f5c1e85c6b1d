import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { bundle, IDENTITY, ISSUER, SUBJECT, statement } from '#test/shared/signatures/sample-bundles.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';

interface Source {
  url: string;
  key: string;
  org: string;
}

/** Where {@link saveSignedRecords} puts evidence. */
export const SIGNED = { flow: 'signed', trail: 'release-1', fingerprint: '5'.repeat(64) } as const;
const RUN = 'https://github.com/acme/web/actions/runs/9876543210/attempts/1';

/** An instance of Sigstore that only the records of this process know. */
const own = new OwnRoot();

/** Signers, trust roots and recalls, in the order in which they can be saved, each with its versions. */
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
        run: 'https://github.com/acme/web/actions/runs/1234567890/attempts/1',
        until: 1_782_864_000,
        reason: 'A dependency of the run was replaced',
      },
    ],
  ],
];

/** A bundle of the own root about the artifact, as JSON. The digits are the extensions of certificates with claims. */
const signedBundle = (changed: object = {}) => {
  const claims = { ...IDENTITY.claims, 9: SUBJECT, 14: 'refs/heads/main', 21: RUN };
  const payload = {
    subject: [{ name: 'shop.tar', digest: { sha256: SIGNED.fingerprint } }],
    predicate: {
      buildDefinition: { buildType: 'https://ci.example/build', externalParameters: {} },
      runDetails: { builder: { id: 'https://github.com/actions/runner/github-hosted' } },
    },
  };
  return { ...bundle(own, { identity: { claims }, payload: JSON.stringify(statement(payload)) }), ...changed };
};

/**
 * Saves records about signatures, and evidence that is signed, badly signed and not signed. Records that there are get a version more.
 *
 * @throws Error if the service refuses one
 */
export async function saveSignedRecords({ url, key, org }: Source): Promise<void> {
  const send = async (method: string, path: string, body: string | FormData): Promise<void> => {
    const json = typeof body === 'string' && { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${key}`, ...json };
    const answer = await fetch(`${url}/api/v2/${path}`, { method, headers, body });
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  };
  const json = (method: string, path: string, body: object) => send(method, path, JSON.stringify(body));
  const attest = (kind: string, document: object, bundleFile?: object) => {
    const form = new FormData();
    form.append('data_json', JSON.stringify(document));
    if (bundleFile) form.append('bundle_file', new Blob([JSON.stringify(bundleFile)]), 'bundle.json');
    return send('POST', `attestations/${org}/${SIGNED.flow}/trail/${SIGNED.trail}/${kind}`, form);
  };
  for (const [path, bodies] of RECORDS) {
    const [kind, name] = path.split('/');
    for (const body of bodies) await json('PUT', `${kind}/${org}/${name}`, body);
  }
  const trusted = { kind: 'sigstore', trusted_root: JSON.stringify(own.json()) };
  await json('PUT', `trust-roots/${org}/own`, trusted);
  await json('PUT', `signers/${org}/ci`, { trust_root: 'own', issuer: ISSUER, subjects: [SUBJECT] });
  await json('PUT', `flows/${org}`, { name: SIGNED.flow });
  await json('POST', `artifacts/${org}/${SIGNED.flow}`, {
    ...{
      trail_name: SIGNED.trail,
      template_reference_name: 'shop',
      filename: 'shop:1',
      fingerprint: SIGNED.fingerprint,
    },
    ...{ git_commit: '6'.repeat(40), build_url: 'https://ci.shop.example/1', commit_url: 'https://git.shop.example/1' },
  });
  await attest('bundle', { attestation_name: 'build' }, signedBundle());
  const { dsseEnvelope } = signedBundle();
  await attest(
    'bundle',
    { attestation_name: 'forged', artifact_fingerprint: SIGNED.fingerprint },
    { ...signedBundle(), dsseEnvelope },
  );
  await attest('generic', { attestation_name: 'review', is_compliant: true });
}
