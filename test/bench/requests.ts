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
import { beginTrail, formOf, reportArtifact } from './client.ts';
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
} from './facts.ts';
import { filledTrail } from './fill.ts';
import { create, get, type MeasuredRequest, read, update } from './measured.ts';
import { evaluation, ORGANIZATION_REQUESTS } from './organization-requests.ts';

/** The main reads and writes of each group that stores data. */
export const REQUESTS: readonly MeasuredRequest[] = [
  read(
    flowsGroup,
    'get flow',
    get((org) => `/flows/${org}/${FLOW}`),
  ),
  read(
    flowsGroup,
    'list flows',
    get((org) => `/flows/${org}`, 'page=1&per_page=20'),
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
  ),
  read(
    trailsGroup,
    'list trails, page 1',
    get((org) => `/trails/${org}`, 'page=1&per_page=20'),
  ),
  read(
    trailsGroup,
    'list trails of a flow',
    get((org) => `/trails/${org}/${FLOW}`, 'page=1&per_page=20'),
  ),
  read(
    trailsGroup,
    'list moments',
    get((org, n, trails) => `/trails/${org}/${FLOW}/${filledTrail(n, trails)}/moments`),
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
  create(attestationsGroup, 'get upload form', (org, n) => ({
    method: 'POST',
    path: `/attachments/${org}`,
    json: { filename: 'scan.json', size: 1000 + n, sha256: fingerprintOf(`${n}`), content_type: 'application/json' },
  })),
  read(
    attestationsGroup,
    'list attestations, page 1',
    get((org) => `/attestations/${org}`, 'page=1&per_page=20'),
  ),
  read(
    attestationsGroup,
    'attestations by name',
    get((org, n, trails) => `/attestations/${org}/${FLOW}/trail/${filledTrail(n, trails)}/review`),
  ),
  create(artifactsGroup, 'report artifact', (org, n, trails) =>
    reportArtifact(org, `built ${org} ${n}`, filledTrail(n, trails)),
  ),
  read(
    artifactsGroup,
    'get artifact',
    get((org, n) => `/artifacts/${org}/${FLOW}/fingerprint/${runningFingerprint(org, n % RUNNING)}`),
  ),
  read(
    artifactsGroup,
    'list artifacts, page 1',
    get((org) => `/artifacts/${org}`, 'page=1&per_page=20'),
  ),
  read(
    artifactsGroup,
    'artifacts of a commit',
    get((org) => `/artifacts/${org}/${FLOW}/commit_sha/${COMMIT_SHA}`),
  ),
  read(
    assertsGroup,
    'assert artifact',
    get((org, n) => `/asserts/${org}/fingerprint/${runningFingerprint(org, n % RUNNING)}`),
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
  ),
  read(
    environmentsGroup,
    'list environments',
    get((org) => `/environments/${org}`),
  ),
  read(
    snapshotsGroup,
    'list snapshots',
    get((org) => `/snapshots/${org}/history`, 'page=1&per_page=15'),
  ),
  read(
    snapshotsGroup,
    'get snapshot',
    get((org, n) => `/snapshots/${org}/history/${1 + (n % SNAPSHOTS)}`),
  ),
  read(
    snapshotsGroup,
    'compare snapshots',
    get((org) => `/env-diff/${org}`, `snappish1=history%231&snappish2=history%23${SNAPSHOTS}`),
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
  ),
  read(
    policiesGroup,
    'list policies',
    get((org) => `/policies/${org}`),
  ),
  read(
    controlsGroup,
    'get control',
    get((org) => `/controls/${org}/SC-1`),
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
  ),
  read(
    controlsGroup,
    'list controls',
    get((org) => `/controls/${org}`),
  ),
  read(
    buildsGroup,
    'list builds, page 1',
    get((org) => `/builds/${org}`, 'page=1&per_page=20'),
  ),
  create(evaluationsGroup, 'request evaluation', evaluation),
  read(
    evaluationsGroup,
    'list evaluations',
    get((org) => `/evaluations/${org}`),
  ),
  ...ORGANIZATION_REQUESTS,
];
