import type { Recall, Signer, TrustRoot } from '#console/signer/operations.ts';

/** Signers, trust roots and recalls as the API answers them. */

const SAVED = { deleted: false, version: 1, created_at: 1, created_by: 'ann', changed_at: 1, changed_by: 'ann' };

export const signer = (given: Partial<Signer> = {}): Signer => ({
  ...SAVED,
  name: 'release',
  trust_root: 'sigstore-public',
  issuer: 'https://token.actions.githubusercontent.com',
  subjects: ['https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main'],
  claims: {},
  description: null,
  ...given,
});

export const trustRoot = (given: Partial<TrustRoot> = {}): TrustRoot => ({
  ...SAVED,
  name: 'release-key',
  kind: 'public-key',
  trusted_root: null,
  public_key: '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n',
  digest: 'a'.repeat(64),
  description: null,
  ...given,
});

export const recall = (given: Partial<Recall> = {}): Recall => ({
  ...SAVED,
  name: 'stolen',
  ...{ signer: null, run: null, builder: null, root: null, key: null, bundles: null },
  ...{ from: null, until: null, reason: 'The key was stolen' },
  ...given,
});
