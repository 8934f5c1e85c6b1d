import { expect } from 'vitest';
import type { TestApi } from '../api.ts';
import type { EnvironmentsOfOrganization } from '../environments.ts';
import { GITHUB_CLAIMS } from './ci-claims.ts';
import type { TestIssuer } from './issuer.ts';

const AUDIENCE = 'https://evidence.example.com';

/** Exchanges a token of the issuer for a key of a new service account `ci`, and returns the key with its identity. */
export async function keyWithIdentity(
  api: TestApi,
  { org, call }: Pick<EnvironmentsOfOrganization, 'org' | 'call'>,
  issuer: TestIssuer,
) {
  await call('POST', `/service-accounts/${org}`, { json: { name: 'ci', privilege: 'member' } });
  const claims = { repository: 'acme/web', repository_id: '74' };
  const trust = { service_account: 'ci', preset: 'github', issuer: issuer.url, audience: AUDIENCE, claims };
  const { status, text } = await call('PUT', `/trusts/${org}/web`, { json: trust });
  if (status !== 201) throw new Error(text);
  const token = await issuer.token({ ...GITHUB_CLAIMS, aud: AUDIENCE }, api.services.clock.now() / 1e6);
  const answer = await api.call('POST', `/token/${org}`, {
    json: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: token,
    },
  });
  const { access_token: key } = answer.json as { access_token: string };
  const { actor, repository, run_id } = GITHUB_CLAIMS;
  const identity = expect.objectContaining({ trust: 'web', issuer: issuer.url, actor, repository, run_id, claims });
  const origin = expect.objectContaining({ trust: 'web', repository, run_id });
  return { request: { key }, identity, origin };
}
