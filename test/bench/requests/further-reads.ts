import { actionsGroup } from '#functions/actions/endpoints.ts';
import { allowlistsGroup } from '#functions/allowlists/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { environmentNotificationsGroup } from '#functions/environment-notifications/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { reposGroup } from '#functions/repos/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { FLOW, RUNNING, runningFingerprint } from '../organizations/facts.ts';
import { countedTrails, type FloorRule, records, separate, together } from './floors.ts';
import { madeId } from './ids.ts';
import { ACCOUNT, CHECKED_TRAIL, ONE_ACTION, ONE_NOTIFICATION, REPO } from './made.ts';
import { type MeasuredRequest, read } from './measured.ts';

const reads = (
  group: EndpointGroup,
  name: string,
  path: (org: string, n: number) => string,
  floor: FloorRule,
  query?: (org: string) => string,
): MeasuredRequest =>
  read(
    group,
    name,
    (org, n) => ({ method: 'GET', path: path(org, n), ...(query !== undefined && { query: query(org) }) }),
    floor,
  );

const of = (text: string) => () => text;
const running = (org: string, n: number) => runningFingerprint(org, n % RUNNING);

const EVIDENCE_READS: readonly MeasuredRequest[] = [
  reads(
    flowsGroup,
    'frequency of a flow',
    (org) => `/flows/${org}/${FLOW}/frequency`,
    countedTrails(
      4,
      'the flow and the trails of the period; the environments and their days, in one range each; of each counted trail its verdict',
    ),
  ),
  reads(
    artifactsGroup,
    'list artifacts of a flow',
    (org) => `/artifacts/${org}/${FLOW}`,
    separate(2, 2, 'the flow and the entries; of each report its record and the verdict of its trail'),
    of('page=1&per_page=20'),
  ),
  reads(
    artifactsGroup,
    'latest commit',
    (org, n) => `/artifacts/${org}/${FLOW}/${running(org, n)}/latest_commit`,
    records(4, 'the flow, the latest reports of the fingerprint and of the flow, and a record'),
  ),
  reads(
    attestationsGroup,
    'attestations of an artifact',
    (org, n) => `/attestations/${org}/${FLOW}/artifact/${running(org, n)}/scan`,
    separate(
      1,
      3,
      'the flow, the trails of the artifact, what says which attestations have the name; each is a record',
    ),
  ),
  reads(
    attestationsGroup,
    'attestation by id',
    (org) => `/attestations/${org}`,
    records(2, 'the record, and the name of its flow'),
    (org) => `attestation_id=${madeId(org, 'attestation')}`,
  ),
  reads(
    attestationsGroup,
    'list attachments',
    (org) => `/attestations/${org}/${madeId(org, 'attestation')}/attachments`,
    records(1, 'the record of the attestation has the list'),
  ),
  reads(
    attestationsGroup,
    'text of an attachment',
    (org) => `/attestations/${org}/${madeId(org, 'attestation')}/attachments/0/text`,
    records(2, 'the record of the attestation, and the text'),
  ),
  reads(
    assertsGroup,
    'assert in environments',
    (org, n) => `/asserts/${org}/fingerprint/${running(org, n)}/environments`,
    separate(
      2,
      4,
      'the names of environments, the fingerprint, its flow and its trail; of each environment its record and whether the artifact is allowed there',
    ),
  ),
  reads(
    customAttestationTypesGroup,
    'get custom type',
    (org) => `/custom-attestation-types/${org}/type-0`,
    records(1, 'the type with its versions lies in one partition'),
  ),
  reads(
    reposGroup,
    'get repository',
    (org) => `/repos/${org}/${REPO}`,
    records(3, 'the name, the record, and its tags'),
  ),
  reads(
    searchGroup,
    'search a name',
    (org) => `/search/${org}`,
    records(
      8,
      'the names of flows, environments, policies, controls and repositories, the newest trails, digests, and commits lie in partitions of their own; the file name of a report stands in its record',
    ),
    of('q=flow-1'),
  ),
];

const ENVIRONMENT_READS: readonly MeasuredRequest[] = [
  reads(
    environmentsGroup,
    'list events',
    (org) => `/environments/${org}/history/events`,
    together(1, 'the environment; the events in one range'),
  ),
  reads(
    environmentsGroup,
    'list artifacts that ran',
    (org) => `/environments/${org}/history/artifacts`,
    together(3, 'the environment; the snapshot before the period and its content; the events in one range'),
  ),
  reads(
    environmentsGroup,
    'deployment frequency',
    (org) => `/environments/${org}/history/deployment_frequency`,
    together(1, 'the environment; the days in one range'),
  ),
  reads(
    environmentsGroup,
    'list deployments',
    (org) => `/environments/${org}/history/deployments`,
    separate(1, 2, 'the environment and the events; of each start its report'),
  ),
  reads(
    environmentsGroup,
    'list presence',
    (org) => `/environments/${org}/history/presence`,
    together(3, 'the environment and its entry; the days in one range; the first day behind them'),
  ),
  reads(
    snapshotsGroup,
    'list artifacts of a snapshot',
    (org) => `/snapshots/${org}/history/-1/artifacts`,
    together(2, 'the environment and the snapshot; its content'),
    of('page=1&per_page=100'),
  ),
  reads(
    allowlistsGroup,
    'list allowed artifacts',
    (org) => `/allowlists/${org}/history`,
    together(1, 'the environment; the entries in one partition'),
  ),
];

const SETTINGS_READS: readonly MeasuredRequest[] = [
  reads(
    controlsGroup,
    'list versions of a control',
    (org) => `/controls/${org}/SC-1/versions`,
    together(1, 'the control; the versions in one range'),
  ),
  reads(
    controlsGroup,
    'get version of a control',
    (org) => `/controls/${org}/SC-1/versions/1`,
    records(1, 'one record'),
  ),
  reads(
    evaluationsGroup,
    'get evaluation',
    (org) => `/evaluations/${org}/${madeId(org, 'evaluation')}`,
    records(1, 'one record'),
  ),
  reads(
    evaluationsGroup,
    'get request of an evaluation',
    (org) => `/evaluations/${org}/${madeId(org, 'evaluation')}/request`,
    records(1, 'one record'),
  ),
  reads(
    actionsGroup,
    'get action',
    (org) => `/actions/${org}/${ONE_ACTION}`,
    records(2, 'the newest version, and the state of its targets'),
  ),
  reads(
    actionsGroup,
    'list deliveries of an action',
    (org) => `/actions/${org}/${ONE_ACTION}/deliveries`,
    together(1, 'the action; the deliveries of a month in one partition'),
  ),
  reads(
    actionsGroup,
    'list deliveries',
    (org) => `/deliveries/${org}`,
    separate(1, 2, 'the entries of a month and the names of actions; each delivery is a record'),
  ),
  reads(
    actionsGroup,
    'explain an event',
    (org) => `/deliveries/${org}/explain`,
    together(3, 'the flow, the moment, the actions, and the deliveries of the event'),
    of(`flow=${FLOW}&trail=${CHECKED_TRAIL}&moment=1`),
  ),
  reads(
    actionsGroup,
    'get signing secret',
    (org) => `/actions/${org}/${ONE_ACTION}/signing-secret`,
    records(2, 'the action, and its secret'),
  ),
  reads(
    environmentNotificationsGroup,
    'get notification',
    (org) => `/organizations/${org}/environments_notifications/${ONE_NOTIFICATION}`,
    records(3, 'the newest version, the state of its targets, and the names of its environments'),
  ),
  reads(
    serviceAccountsGroup,
    'get service account',
    (org) => `/service-accounts/${org}/${ACCOUNT}`,
    records(1, 'one record'),
  ),
  reads(
    serviceAccountsGroup,
    'list keys of an account',
    (org) => `/service-accounts/${org}/${ACCOUNT}/api-keys`,
    separate(1, 2, 'the account and its keys; each key is a record'),
  ),
  reads(
    serviceAccountsGroup,
    'get key of an account',
    (org) => `/service-accounts/${org}/${ACCOUNT}/api-keys/${madeId(org, 'key')}`,
    records(3, 'the account, its key, and the record of the key'),
  ),
  reads(serviceAccountsGroup, 'list trusts', (org) => `/trusts/${org}`, together(0, 'the trusts in one partition')),
  reads(serviceAccountsGroup, 'get trust', (org) => `/trusts/${org}/ci`, records(1, 'one record')),
  reads(
    userGroup,
    'get user',
    () => '/user',
    separate(1, 3, 'the user, the offers, and the organizations of the user; each organization is a record'),
  ),
  reads(userGroup, 'get default organization', () => '/user/default-org', records(1, 'one record')),
  reads(
    userGroup,
    'get personal key',
    (org) => `/user/api-keys/${madeId(org, 'personal key')}`,
    records(2, 'the key of the user, and the record of the key'),
  ),
  reads(userGroup, 'list sessions', () => '/user/sessions', together(0, 'the sessions in one partition')),
  reads(exportsGroup, 'list exports', (org) => `/exports/${org}`, together(0, 'the exports in one partition')),
  reads(exportsGroup, 'get export', (org) => `/exports/${org}/${madeId(org, 'export')}`, records(1, 'one record')),
];

/** The reads that people and clients send less often than the others. */
export const FURTHER_READS: readonly MeasuredRequest[] = [...EVIDENCE_READS, ...ENVIRONMENT_READS, ...SETTINGS_READS];
