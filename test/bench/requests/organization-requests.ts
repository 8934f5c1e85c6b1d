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
import { type BenchRequest, formOf, reportArtifact } from '../client.ts';
import { anyEnvironment, FLOW, fingerprintOf, flowName, RUNNING, runningFingerprint } from '../organizations/facts.ts';
import { filledTrail } from '../organizations/fill.ts';
import { records, separate, together } from './floors.ts';
import { create, get, type MeasuredRequest, read, update } from './measured.ts';

/** The number of resources of each kind. */
const EACH = 20;

const TARGETS = [{ type: 'EMAIL', emails: ['ada@example.com'] }];

const flowAction = (org: string, n: number): BenchRequest => ({
  method: 'PUT',
  path: `/actions/${org}/flows`,
  json: { name: `action-${n % EACH}`, type: 'flow', triggers: ['ON_ATTESTATION'], targets: TARGETS },
});

const notification = (org: string, n: number): BenchRequest => ({
  method: 'PUT',
  path: `/organizations/${org}/environments_notifications`,
  json: {
    name: `notification-${n % EACH}`,
    environments: ['history'],
    triggers: ['ON_SCALED_ARTIFACT'],
    targets: TARGETS,
  },
});

const serviceAccount = (org: string, name: string): BenchRequest => ({
  method: 'POST',
  path: `/service-accounts/${org}`,
  json: { name, privilege: 'member' },
});

export const evaluation = (org: string, n: number, trails: number): BenchRequest => ({
  method: 'POST',
  path: `/evaluations/${org}`,
  json: {
    context: { trails: [{ flow: FLOW, trail: filledTrail(n, trails) }] },
    policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    params: { n },
  },
});

/** The requests that make resources, with their expected status. */
const RESOURCES: readonly (readonly [EndpointGroup, number, MeasuredRequest['build']])[] = [
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

/** Makes the resources that {@link ORGANIZATION_REQUESTS} read and change. */
export async function makeResources(
  org: string,
  trails: number,
  send: (group: EndpointGroup, expected: number, request: BenchRequest) => Promise<unknown>,
): Promise<void> {
  for (const [group, expected, request] of RESOURCES) {
    for (let n = 0; n < EACH; n += 1) await send(group, expected, request(org, n, trails));
  }
}

/** Requests about resources other than evidence and environments. */
export const ORGANIZATION_REQUESTS: readonly MeasuredRequest[] = [
  update(actionsGroup, 'put action, changed', flowAction),
  read(
    actionsGroup,
    'list actions',
    get((org) => `/actions/${org}`),
    together(1, 'the actions in one partition, and the names of what they are about'),
  ),
  update(environmentNotificationsGroup, 'put notification, changed', notification),
  read(
    environmentNotificationsGroup,
    'list notifications',
    get((org) => `/organizations/${org}/environments_notifications`),
    together(1, 'the actions in one partition, and the names of what they are about'),
  ),
  create(allowlistsGroup, 'allow artifact', (org, n) => ({
    method: 'PUT',
    path: `/allowlists/${org}/${anyEnvironment(n)}`,
    json: { artifact_fingerprint: fingerprintOf(`${org} allows ${n}`), artifact_name: 'tool', description: 'Ours' },
  })),
  read(
    customAttestationTypesGroup,
    'list custom types',
    get((org) => `/custom-attestation-types/${org}`),
    separate(1, 1, 'the names in one range; each type is a record with its versions'),
  ),
  read(
    reposGroup,
    'list repos, page 1',
    get((org) => `/repos/${org}`, 'page=1&per_page=20'),
    separate(1, 1, 'the entries in one range; of each repository its tags'),
  ),
  read(
    searchGroup,
    'search fingerprint',
    get((org, n) => `/search/${org}/sha/${runningFingerprint(org, n % RUNNING)}`),
    records(
      7,
      'the fingerprint, the flows that reported it; flow, report and trail of one; where it runs, and names of environments',
    ),
  ),
  update(tagsGroup, 'tag flow', (org, n) => ({
    method: 'PATCH',
    path: `/tags/${org}/flow/${flowName(n)}`,
    json: { set_tags: { build: String(n) } },
  })),
  create(serviceAccountsGroup, 'make service account', (org, n) => serviceAccount(org, `made-${n}`)),
  read(
    serviceAccountsGroup,
    'list service accounts',
    get((org) => `/service-accounts/${org}`),
    together(0, 'the accounts in one partition'),
  ),
  read(
    userGroup,
    'list personal keys',
    get(() => '/user/api-keys'),
    separate(1, 2, 'the user and the list of keys; each key is a record'),
  ),
  read(
    organizationsGroup,
    'list members',
    get((org) => `/organizations/${org}/members`),
    together(1, 'the members in one partition, the invitations in another one'),
  ),
  read(
    auditGroup,
    'list audit log',
    get((org) => `/audit/${org}`),
    together(0, 'the entries of a month in one partition'),
  ),
];
