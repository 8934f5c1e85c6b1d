import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { beginTrail, formOf, reportArtifact } from '../client.ts';
import {
  anyEnvironment,
  attestation,
  COMMIT_SHA,
  changingEnvironment,
  FLOW,
  fingerprintOf,
  flowName,
  RUNNING,
  runningFingerprint,
  SNAPSHOTS,
  STRICT_POLICY,
  serverReport,
  unchangedEnvironment,
} from '../organizations/facts.ts';
import { filledTrail } from '../organizations/fill.ts';
import { records, separate, together } from './floors.ts';
import { FURTHER_READS } from './further-reads.ts';
import { create, get, type MeasuredRequest, read, update } from './measured.ts';
import { evaluation, ORGANIZATION_REQUESTS } from './organization-requests.ts';

/** The main reads and writes of each group that stores data. */
export const REQUESTS: readonly MeasuredRequest[] = [
  read(
    flowsGroup,
    'get flow',
    get((org) => `/flows/${org}/${FLOW}`),
    records(2, 'the name, and the record'),
  ),
  read(
    flowsGroup,
    'list flows',
    get((org) => `/flows/${org}`, 'page=1&per_page=20'),
    separate(2, 1, 'names of the list in one range; of each flow its facts and its tags'),
  ),
  update(flowsGroup, 'put flow, changed', (org, n) => ({
    method: 'PUT',
    path: `/flows/${org}`,
    json: { name: flowName(n), description: `The ${n}th`, template: [] },
  })),
  create(trailsGroup, 'begin trail', (org, n) => beginTrail(org, `begun-${n}`)),
  read(
    trailsGroup,
    'get trail',
    get((org, n, trails) => `/trails/${org}/${FLOW}/${filledTrail(n, trails)}`),
    together(2, 'the name of the flow and its template; the trail and its events in one partition each'),
  ),
  read(
    trailsGroup,
    'list trails, page 1',
    get((org) => `/trails/${org}`, 'page=1&per_page=20'),
    separate(2, 2, 'the entries and their number; of each trail its verdict and its own fields'),
  ),
  read(
    trailsGroup,
    'list trails of a flow',
    get((org) => `/trails/${org}/${FLOW}`, 'page=1&per_page=20'),
    separate(2, 3, 'the flow, the entries and their number; of each trail its verdict and its own fields'),
  ),
  read(
    trailsGroup,
    'list moments',
    get((org, n, trails) => `/trails/${org}/${FLOW}/${filledTrail(n, trails)}/moments`),
    together(2, 'the flow and the number of moments; the moments in one range'),
  ),
  create(attestationsGroup, 'attest, 2 KB', (org, n, trails) => ({
    method: 'POST',
    path: `/attestations/${org}/${FLOW}/trail/${filledTrail(n, trails)}/generic`,
    json: attestation(`check-${n % 10}`, n),
  })),
  create(attestationsGroup, 'attest, custom type', (org, n, trails) => ({
    method: 'POST',
    path: `/attestations/${org}/${FLOW}/trail/${filledTrail(n, trails)}/custom`,
    json: { ...attestation(`check-${n % 10}`, n), type_name: 'type-0', attestation_data: { passed: n } },
  })),
  create(attestationsGroup, 'decide', (org, n, trails) => ({
    method: 'POST',
    path: `/attestations/${org}/${FLOW}/trail/${filledTrail(n, trails)}/system`,
    json: {
      attestation_name: 'gate',
      type_name: 'decision',
      control: 'SC-1',
      attestation_data: { is_compliant: true },
    },
  })),
  create(attestationsGroup, 'get upload form', (org, n) => ({
    method: 'POST',
    path: `/attachments/${org}`,
    json: { filename: 'scan.json', size: 1000 + n, sha256: fingerprintOf(`${n}`), content_type: 'application/json' },
  })),
  read(
    attestationsGroup,
    'list attestations, page 1',
    get((org) => `/attestations/${org}`, 'page=1&per_page=20'),
    separate(1, 2, 'the entries and their number; each attestation is a record'),
  ),
  read(
    attestationsGroup,
    'attestations by name',
    get((org, n, trails) => `/attestations/${org}/${FLOW}/trail/${filledTrail(n, trails)}/review`),
    separate(1, 2, 'the flow, and what says which attestations have the name; each is a record'),
  ),
  create(artifactsGroup, 'report artifact', (org, n, trails) =>
    reportArtifact(org, `built ${org} ${n}`, filledTrail(n, trails)),
  ),
  read(
    artifactsGroup,
    'get artifact',
    get((org, n) => `/artifacts/${org}/${FLOW}/fingerprint/${runningFingerprint(org, n % RUNNING)}`),
    records(4, 'the flow, the latest report of the fingerprint, its record, the verdict of its trail'),
  ),
  read(
    artifactsGroup,
    'list artifacts, page 1',
    get((org) => `/artifacts/${org}`, 'page=1&per_page=20'),
    separate(2, 2, 'the entries and the names of flows; of each report its record and the verdict of its trail'),
  ),
  read(
    artifactsGroup,
    'artifacts of a commit',
    get((org) => `/artifacts/${org}/${FLOW}/commit_sha/${COMMIT_SHA}`),
    separate(2, 2, 'the flow and the entries; of each artifact its record and the verdict of its trail'),
  ),
  read(
    assertsGroup,
    'assert artifact',
    get((org, n) => `/asserts/${org}/fingerprint/${runningFingerprint(org, n % RUNNING)}`),
    records(3, 'the flows that reported the fingerprint, a flow, and the verdict of its trail'),
  ),
  update(environmentsGroup, 'report, unchanged', (org, n) => ({
    method: 'PUT',
    path: `/environments/${org}/${unchangedEnvironment(n)}/report/server`,
    json: serverReport(org),
  })),
  create(environmentsGroup, 'report, changed', (org, n) => ({
    method: 'PUT',
    path: `/environments/${org}/${changingEnvironment(n)}/report/server`,
    json: serverReport(org, `unknown artifact ${n}`),
  })),
  update(environmentsGroup, 'patch environment', (org, n) => ({
    method: 'PATCH',
    path: `/environments/${org}/${anyEnvironment(n)}`,
    json: { description: `The ${n}th` },
  })),
  read(
    environmentsGroup,
    'get environment',
    get((org, n) => `/environments/${org}/${unchangedEnvironment(n)}`),
    records(3, 'the name, the record, and the facts that are only shown'),
  ),
  read(
    environmentsGroup,
    'list environments',
    get((org) => `/environments/${org}`),
    separate(2, 1, 'the names in one range; of each environment its record and the facts that are only shown'),
  ),
  read(
    snapshotsGroup,
    'list snapshots',
    get((org) => `/snapshots/${org}/history`, 'page=1&per_page=15'),
    together(1, 'the environment; the snapshots in one range'),
  ),
  read(
    snapshotsGroup,
    'get snapshot',
    get((org, n) => `/snapshots/${org}/history/${1 + (n % SNAPSHOTS)}`),
    together(2, 'the environment and the snapshot; its content'),
  ),
  read(
    snapshotsGroup,
    'compare snapshots',
    get((org) => `/env-diff/${org}`, `snappish1=history%231&snappish2=history%23${SNAPSHOTS}`),
    records(
      6 + RUNNING,
      'the environment; of both snapshots the summary, the end and the content; the report of each artifact that both ran',
    ),
  ),
  create(policiesGroup, 'make policy', (org, n) => ({
    method: 'PUT',
    path: `/policies/${org}`,
    form: formOf({ payload: JSON.stringify({ name: `policy-${n}` }) }, { policy_file: STRICT_POLICY }),
  })),
  read(
    policiesGroup,
    'get policy',
    get((org) => `/policies/${org}/strict`),
    together(1, 'the name; the policy with all versions and environments in one partition'),
  ),
  read(
    policiesGroup,
    'list policies',
    get((org) => `/policies/${org}`),
    separate(1, 1, 'the names in one range; each policy is a partition'),
  ),
  read(
    controlsGroup,
    'get control',
    get((org) => `/controls/${org}/SC-1`),
    records(2, 'the record and its tags'),
  ),
  create(controlsGroup, 'make control', (org, n) => ({
    method: 'POST',
    path: `/controls/${org}`,
    json: { identifier: `CC-${n}`, name: 'Change', description: 'Every change is reviewed' },
  })),
  read(
    controlsGroup,
    'coverage of a control',
    get((org) => `/controls/${org}/SC-1/coverage`),
    together(
      5,
      'the control and the policies that name it; all environments and their policies, which the totals count, in one range each',
    ),
  ),
  read(
    controlsGroup,
    'list controls',
    get((org) => `/controls/${org}`),
    separate(2, 1, 'the entries in one range; of each control its record and its tags'),
  ),
  read(
    buildsGroup,
    'list builds, page 1',
    get((org) => `/builds/${org}`, 'page=1&per_page=20'),
    separate(1, 2, 'the entries and their number; each build is a record'),
  ),
  create(evaluationsGroup, 'request evaluation', evaluation),
  read(
    evaluationsGroup,
    'list evaluations',
    get((org) => `/evaluations/${org}`),
    separate(1, 2, 'the entries and their number; each evaluation is a record'),
  ),
  ...ORGANIZATION_REQUESTS,
  ...FURTHER_READS,
];
