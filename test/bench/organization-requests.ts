import { actionsGroup } from '#functions/actions/endpoints.ts';
import { allowlistsGroup } from '#functions/allowlists/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { organizationsGroup } from '#functions/organizations/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { type Asked, formOf, reportArtifact } from './client.ts';
import { aFingerprint, anArtifact, anyEnvironment, FLOW, oneOfFlows, RUNNING } from './facts.ts';
import { filledTrail } from './fill.ts';
import { get, kept, type Measured, made, read } from './measured.ts';

/** Of each thing that an organization keeps beside its evidence. */
const EACH = 20;

const TARGETS = [{ type: 'EMAIL', emails: ['ada@example.com'] }];

const flowAction = (org: string, n: number): Asked => ({
  method: 'PUT',
  path: `/actions/${org}/flows`,
  json: { name: `action-${n % EACH}`, type: 'flow', triggers: ['ON_ATTESTATION'], targets: TARGETS },
});

const notification = (org: string, n: number): Asked => ({
  method: 'PUT',
  path: `/organizations/${org}/environments_notifications`,
  json: { name: `notification-${n % EACH}`, environments: ['history'], triggers: [], targets: TARGETS },
});

const serviceAccount = (org: string, name: string): Asked => ({
  method: 'POST',
  path: `/service-accounts/${org}`,
  json: { name, privilege: 'member' },
});

export const evaluation = (org: string, n: number, trails: number): Asked => ({
  method: 'POST',
  path: `/evaluations/${org}`,
  json: {
    context: { trails: [{ flow: FLOW, trail: filledTrail(n, trails) }] },
    policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    params: { n },
  },
});

/** As many of each as there are. */
const THINGS: readonly (readonly [EndpointGroup, number, Measured['asked']])[] = [
  [actionsGroup, 200, flowAction],
  [environmentNotificationsGroup, 200, notification],
  [
    customAttestationTypesGroup,
    201,
    (org, n) => ({
      method: 'POST',
      path: `/custom-attestation-types/${org}`,
      form: formOf({ data_json: JSON.stringify({ name: `type-${n}`, description: 'A check of our own' }) }),
    }),
  ],
  [serviceAccountsGroup, 201, (org, n) => serviceAccount(org, `robot-${n}`)],
  [evaluationsGroup, 201, evaluation],
  [artifactsGroup, 201, (org, n, trails) => reportArtifact(org, `${org} built ${n} before`, filledTrail(n, trails))],
];

/** Makes what {@link ORGANIZATION_REQUESTS} ask for. */
export async function makeThings(
  org: string,
  trails: number,
  send: (group: EndpointGroup, expected: number, asked: Asked) => Promise<unknown>,
): Promise<void> {
  for (const [group, expected, asked] of THINGS) {
    for (let n = 0; n < EACH; n += 1) await send(group, expected, asked(org, n, trails));
  }
}

/** What organizations keep beside evidence and environments. */
export const ORGANIZATION_REQUESTS: readonly Measured[] = [
  kept(actionsGroup, 'put action, changed', flowAction),
  read(
    actionsGroup,
    'list actions',
    get((org) => `/actions/${org}`),
  ),
  kept(environmentNotificationsGroup, 'put notification, changed', notification),
  read(
    environmentNotificationsGroup,
    'list notifications',
    get((org) => `/organizations/${org}/environments_notifications`),
  ),
  made(allowlistsGroup, 'allow artifact', (org, n) => ({
    method: 'PUT',
    path: `/allowlists/${org}/${anyEnvironment(n)}`,
    json: { artifact_fingerprint: aFingerprint(`${org} allows ${n}`), artifact_name: 'tool', description: 'Ours' },
  })),
  read(
    customAttestationTypesGroup,
    'list custom types',
    get((org) => `/custom-attestation-types/${org}`),
  ),
  read(
    reposGroup,
    'list repos, page 1',
    get((org) => `/repos/${org}`, 'page=1&per_page=20'),
  ),
  read(
    searchGroup,
    'search fingerprint',
    get((org, n) => `/search/${org}/sha/${anArtifact(org, n % RUNNING)}`),
  ),
  kept(tagsGroup, 'tag flow', (org, n) => ({
    method: 'PATCH',
    path: `/tags/${org}/flow/${oneOfFlows(n)}`,
    json: { set_tags: { build: String(n) } },
  })),
  made(serviceAccountsGroup, 'make service account', (org, n) => serviceAccount(org, `made-${n}`)),
  read(
    serviceAccountsGroup,
    'list service accounts',
    get((org) => `/service-accounts/${org}`),
  ),
  read(
    userGroup,
    'list personal keys',
    get(() => '/user/api-keys'),
  ),
  read(
    organizationsGroup,
    'list members',
    get((org) => `/organizations/${org}/members`),
  ),
  read(
    auditGroup,
    'list audit log',
    get((org) => `/audit/${org}`),
  ),
];
