import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { adminApi, newOrganization } from '#test/support/admin.ts';
import type { ApiRequest, TestApi } from '#test/support/api.ts';
import { LOOPBACK } from '#test/support/issuer.ts';

export const AUDIENCE = 'https://evidence.example.com';
const PARAMETERS = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
};

/** The API of administrators, whose process may call issuers on this machine. */
export async function trustsApi(): Promise<TestApi> {
  const api = await adminApi();
  api.services.guard = addressGuard(LOOPBACK);
  return api;
}

/** An organization with the service account `ci`, and requests about its trusts. */
export async function trustingOrganization(api: TestApi, privilege = 'member') {
  const acme = await newOrganization(api);
  await acme.create({ name: 'ci', privilege });
  const trusts = (path = '') => `/trusts/${acme.org}${path}`;
  return {
    ...acme,
    putTrust: (name: string, fields: object, request: ApiRequest = {}) =>
      acme.call('PUT', trusts(`/${name}`), {
        json: { service_account: 'ci', preset: 'any', audience: AUDIENCE, claims: { sub: 'someone' }, ...fields },
        ...request,
      }),
    getTrust: (name: string) => acme.call('GET', trusts(`/${name}`)),
    listTrusts: (query = '') => acme.call('GET', trusts(), { query }),
    deleteTrust: (name: string, request: ApiRequest = {}) => acme.call('DELETE', trusts(`/${name}`), request),
    /** Sends a token without any key, as the form of RFC 8693. */
    exchange: (token: string, more: Record<string, string> = {}, org = acme.org) =>
      api.call('POST', `/token/${org}`, {
        text: String(new URLSearchParams({ ...PARAMETERS, subject_token: token, ...more })),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    exchangeJson: (json: object) => api.call('POST', `/token/${acme.org}`, { json: { ...PARAMETERS, ...json } }),
  };
}
export type TrustingOrganization = Awaited<ReturnType<typeof trustingOrganization>>;

/** The key of an answer. */
export const keyOf = ({ json, text }: { json: unknown; text: string }): string => {
  const { access_token: key } = json as { access_token?: string };
  if (key === undefined) throw new Error(text);
  return key;
};
