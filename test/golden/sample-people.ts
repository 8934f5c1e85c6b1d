import type { signInApi } from '#test/functions/user/sign-in-api.ts';
import type { TestApi } from '#test/support/api.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { GITHUB_CLAIMS } from '#test/support/identity/ci-claims.ts';
import { startIssuer } from '#test/support/identity/issuer.ts';
import { operate, sent } from './sent.ts';

const AUDIENCE = 'https://evidence.example.com';
const DOMAIN = 'people.example';
/** A user of another organization. The operator makes both. */
export const STRANGER = 'stan';

/** People and machines in every state that the API knows: invited, let in by a rule, signed in, with keys and sessions. */
export async function people(
  api: TestApi,
  acme: EnvironmentsOfOrganization,
  enter: Awaited<ReturnType<typeof signInApi>>['enter'],
): Promise<void> {
  await operate(api, { command: 'create-organization', name: 'elsewhere', features: ['controls'] });
  for (const user of [STRANGER, 'olga']) await operate(api, { command: 'create-user', name: user });
  await operate(api, { command: 'add-member', organization: 'elsewhere', user: STRANGER, role: 'admin' });
  await operate(api, { command: 'identify-user', user: 'olga', email: `olga@${DOMAIN}` });
  await operate(api, { command: 'add-member', organization: acme.org, user: 'olga', role: 'member' });
  await sent(acme, 'PUT', '/organizations/ORG/members/nobody-yet', { role: 'member' });
  await sent(acme, 'PUT', `/organizations/ORG/members/${STRANGER}`, { role: 'reader' });
  await operate(api, { command: 'grant-sign-in', organization: acme.org, domain: [DOMAIN], group: ['auditors'] });
  const rules = [
    { domain: DOMAIN, role: 'reader' },
    { group: 'auditors', role: 'member' },
  ];
  await sent(acme, 'PUT', '/organizations/ORG/sign-in-rules', { rules });
  await enter({ sub: 'olga', email: `olga@${DOMAIN}`, email_verified: true });
  const joined = await enter({ sub: 'pia', email: `pia@${DOMAIN}`, email_verified: true, groups: ['auditors'] });
  await sent({ ...acme, call: joined.call }, 'PUT', '/organizations/ORG/membership');
  await operate(api, { command: 'set-feature', organization: acme.org, feature: 'public_log', enabled: false });
  await machines(api, acme);
  await keysAndSessions(api, acme);
}

/** A key that was exchanged for a token, tokens that were refused, and accounts and keys that ended. */
async function machines(api: TestApi, acme: EnvironmentsOfOrganization): Promise<void> {
  await using issuer = await startIssuer();
  const now = () => api.services.clock.now() / 1e6;
  const claims = { repository: 'acme/web', repository_id: '74' };
  const trust = { service_account: 'ci', preset: 'github', issuer: issuer.url, audience: AUDIENCE, claims };
  await sent(acme, 'PUT', '/trusts/ORG/pipeline', trust);
  const exchange = async (more: object) =>
    api.call('POST', `/token/${acme.org}`, {
      json: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        subject_token: await issuer.token({ ...GITHUB_CLAIMS, aud: AUDIENCE, ...more }, now()),
      },
    });
  const { status, text, json } = await exchange({});
  if (status !== 200) throw new Error(text);
  const { access_token: key } = json as { access_token: string };
  // What a pipeline reports with its key carries the proved identity.
  const place = { flow: 'kinds', trail: 'all', request: { key } };
  await acme.attest('generic', { attestation_name: 'by-pipeline', is_compliant: true }, place);
  const refused = await exchange({ repository_id: '75' });
  if (refused.status < 400) throw new Error('A token of another repository was accepted');
  const account = { name: 'left', privilege: 'member' };
  await sent(acme, 'POST', '/service-accounts/ORG', account);
  await sent(acme, 'DELETE', '/service-accounts/ORG/left', null);
  const issued = await sent(acme, 'POST', '/service-accounts/ORG/ci/api-keys', { description: 'rotated' });
  const { id } = issued as { id: string };
  await sent(acme, 'POST', `/service-accounts/ORG/ci/api-keys/${id}/rotate`, {});
  const second = await sent(acme, 'POST', '/service-accounts/ORG/ci/api-keys', { description: 'ended' });
  const { id: ended } = second as { id: string };
  await sent(acme, 'DELETE', `/service-accounts/ORG/ci/api-keys/${ended}`, null);
  await sent(acme, 'DELETE', '/trusts/ORG/deployment', null);
}

async function keysAndSessions(api: TestApi, acme: EnvironmentsOfOrganization): Promise<void> {
  await sent(acme, 'POST', '/user/api-keys', { description: 'of the admin' });
  await sent(acme, 'PUT', '/user/ORG');
  await sent(acme, 'POST', '/user/session');
  const repeated = { headers: { 'idempotency-key': 'once' } };
  await sent(acme, 'POST', '/controls/ORG', { identifier: 'SOX-3', name: 'Repeated' }, repeated);
  await sent(acme, 'POST', '/controls/ORG', { identifier: 'SOX-3', name: 'Repeated' }, repeated);
  // Each role read and wrote once, so that the last use of each key is stored.
  for (const key of Object.values(acme.keys)) await api.call('GET', '/user', { key });
}
