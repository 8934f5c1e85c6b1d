import { createHash } from 'node:crypto';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { newKey, OwnRoot } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import {
  type BundleOptions,
  bundle,
  ISSUER,
  SHA256,
  SUBJECT,
  statement,
} from '#test/shared/signatures/sample-bundles.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import {
  type EnvironmentsOfOrganization,
  environmentGroups,
  environmentsOfOrganization,
} from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';

/** Evidence, environments and signers behind the real chain, and bundles to send. */

export const bundlesApi = (): Promise<TestApi> =>
  testApi([...environmentGroups, assertsGroup, signersGroup, snapshotsGroup]);

export const own = new OwnRoot();
export const { privateKey: key } = newKey();
export const text = (options: BundleOptions = {}, root = own) => JSON.stringify(bundle(root, options));
export const about = (subject: object[]) => ({ payload: JSON.stringify(statement({ subject })) });
export const digestOf = (file: string) => createHash('sha256').update(file).digest('hex');

interface MadeJson {
  attestation_id: string;
  attestation_type: string;
  artifact_fingerprint: string | null;
  bundle_digest: string;
  grade: string;
  signer: { name: string; version: number } | null;
  error: string | null;
}
export const madeOf = ({ status, json, text: body }: TestAnswer): MadeJson[] => {
  if (status !== 201) throw new Error(`${status} ${body}`);
  return (json as { attestations: MadeJson[] }).attestations;
};
export const errorsOf = ({ status, json }: TestAnswer): [number, object] => {
  const body = json as { errors?: object };
  return [status, body.errors ?? body];
};

/** An organization with the signers `ci` of an own root and `key` of a public key, and the artifact of the samples. */
export async function signingOrganization(api: TestApi) {
  const acme = await environmentsOfOrganization(api);
  const put = (path: string, json: object) => acme.call('PUT', path, { json });
  await put(`/trust-roots/${acme.org}/own`, { kind: 'sigstore', trusted_root: JSON.stringify(own.json()) });
  await put(`/trust-roots/${acme.org}/release-key`, { kind: 'public-key', public_key: publicPem(key) });
  await put(`/signers/${acme.org}/ci`, { trust_root: 'own', issuer: ISSUER, subjects: [SUBJECT] });
  await put(`/signers/${acme.org}/key`, { trust_root: 'release-key' });
  await acme.report(anArtifact('app', { fingerprint: SHA256 }));
  return { ...acme, send: sender(acme) };
}

export const sender =
  (acme: EnvironmentsOfOrganization) =>
  (file: string, fields: Record<string, unknown> = {}, { query = '', headers = {}, trail = 'run' } = {}) =>
    acme.call('POST', `/attestations/${acme.org}/web/trail/${trail}/bundle`, {
      query,
      headers,
      form: {
        fields: { data_json: JSON.stringify({ attestation_name: 'build', ...fields }) },
        files: { bundle_file: file },
      },
    });
