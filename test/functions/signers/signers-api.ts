import { auditGroup } from '#functions/audit/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { ISSUER, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { type ApiRequest, type TestApi, testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';

export const signersApi = (): Promise<TestApi> => testApi([signersGroup, auditGroup]);

export const own = new OwnRoot();
export const ROOT_TEXT = JSON.stringify(own.json());
export const SIGSTORE = { kind: 'sigstore', trusted_root: ROOT_TEXT };
export const KEY = { kind: 'public-key', public_key: PUBLIC_KEY };
/** A signer of the trust root `own`. */
export const RELEASE = { trust_root: 'own', issuer: ISSUER, subjects: [SUBJECT] };

/** A new organization with the trust root `own`, and requests in the name of its admin. */
export async function signingOrganization(api: TestApi) {
  const { name: org, id, keys } = await organizationWith(api.services, ['admin']);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path.replace('ORG', org), { key: keys.admin, ...request });
  const putRoot = (name: string, json: object, request: ApiRequest = {}) =>
    call('PUT', `/trust-roots/ORG/${name}`, { json, ...request });
  await putRoot('own', SIGSTORE);
  return {
    org,
    id,
    call,
    putRoot,
    putSigner: (name: string, json: object, request: ApiRequest = {}) =>
      call('PUT', `/signers/ORG/${name}`, { json, ...request }),
    check: (name: string, json: object) => call('POST', `/signers/ORG/${name}/check`, { json }),
    get: (path: string, query = '') => call('GET', path, { query }),
    remove: (path: string) => call('DELETE', path),
  };
}
