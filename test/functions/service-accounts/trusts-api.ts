import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { adminApi, newOrganization } from '#test/support/admin.ts';
import type { ApiRequest, TestApi } from '#test/support/api.ts';
import { LOOPBACK, startIssuer } from '#test/support/identity/issuer.ts';

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

/** Path of the description of an issuer. */
export const DESCRIPTION = '/.well-known/openid-configuration';

/** The API with an issuer, which runs until `issuer.stop()`, and organizations that trust it. */
export async function exchangeApi() {
  const api = await trustsApi();
  const now = () => Math.floor(api.services.clock.now() / 1e6);
  const issuer = await startIssuer();
  return {
    api,
    now,
    issuer,
    /** A token that the trusts of these tests accept, unless claims say otherwise. */
    aToken: (claims: object = {}, from = issuer) => from.token({ aud: AUDIENCE, ...claims }, now()),
    /** An organization with one trust. */
    async trusting(fields: object = {}) {
      const organization = await trustingOrganization(api);
      const answer = await organization.putTrust('ci', { issuer: issuer.url, ...fields });
      if (answer.status !== 201) throw new Error(answer.text);
      return organization;
    },
  };
}
