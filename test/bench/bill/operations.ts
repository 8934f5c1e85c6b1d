import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { type BenchRequest, beginTrail, formOf, reportArtifact } from '../client.ts';
import { attestation, FLOW, fingerprintOf } from '../organizations/facts.ts';

/** The requests that a customer makes, in the order of one release. */

/** Attestations of one release, besides the one with a file. */
export const CHECKS = 5;
/** Bytes of the attached file. */
export const FILE_BYTES = 50_000;
/** Artifacts that run in each environment. */
export const RUNNING = 30;
/** Environments of the organization in which the requests are counted. */
export const ENVIRONMENTS = 20;

export const OPERATIONS = [
  'begin trail',
  'attestation',
  'attestation with a file',
  'artifact report',
  'assert',
  'report with a change',
  'report that is evaluated again',
  'report without a change',
  'page of the console',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Step {
  operation: Operation;
  group: EndpointGroup;
  request: BenchRequest;
  expected: number;
}

const RELEASED = 1_000;
export const releaseOf = (n: number): string => `release-${n}`;
export const environmentOf = (n: number): string => `env-${n % ENVIRONMENTS}`;
const contentOf = (org: string, n: number): string => `${org} builds ${n}`;

/** A report of the first releases and one newer release. */
const serverReport = (org: string, newest: number) => ({
  artifacts: [...Array(RUNNING - 1).keys(), newest].map((release, i) => ({
    digests: { [`service-${i}`]: fingerprintOf(contentOf(org, release)) },
    creationTimestamp: 1_776_000_000,
  })),
});

export const reportOf = (org: string, environment: string, newest: number): BenchRequest => ({
  method: 'PUT',
  path: `/environments/${org}/${environment}/report/server`,
  json: serverReport(org, newest),
});

const attestationPath = (org: string, n: number): string =>
  `/attestations/${org}/${FLOW}/trail/${releaseOf(n)}/generic`;

const attest = (org: string, n: number, check: number): Step => ({
  operation: 'attestation',
  group: attestationsGroup,
  request: { method: 'POST', path: attestationPath(org, n), json: attestation(`check-${check}`, n * RELEASED + check) },
  expected: 201,
});

const attestWithFile = (org: string, n: number): Step => {
  // Random text, because a file of one letter is the same for every release.
  const file = Array.from({ length: Math.ceil(FILE_BYTES / 64) }, (_, i) => fingerprintOf(`${n} ${i}`)).join('');
  return {
    operation: 'attestation with a file',
    group: attestationsGroup,
    request: {
      method: 'POST',
      path: attestationPath(org, n),
      form: formOf({ data_json: JSON.stringify(attestation('review', n)) }, { attachment_file: file }),
    },
    expected: 201,
  };
};

const get = (group: EndpointGroup, path: string, query?: string): Step => ({
  operation: 'page of the console',
  group,
  request: { method: 'GET', path, ...(query !== undefined && { query }) },
  expected: 200,
});

/** The requests that a page of the console makes, on average. */
export const PAGE_REQUESTS = 4;
const pageOf = (org: string, n: number): Step[] => [
  get(trailsGroup, `/trails/${org}`, 'page=1&per_page=20'),
  get(trailsGroup, `/trails/${org}/${FLOW}/${releaseOf(n)}`),
  get(environmentsGroup, `/environments/${org}`),
  get(snapshotsGroup, `/snapshots/${org}/${environmentOf(n)}/-1`),
];

/** The writes of a release, until its artifact is complete. */
export const releaseSteps = (org: string, n: number): Step[] => [
  { operation: 'begin trail', group: trailsGroup, request: beginTrail(org, releaseOf(n)), expected: 201 },
  {
    operation: 'artifact report',
    group: artifactsGroup,
    request: reportArtifact(org, contentOf(org, n), releaseOf(n)),
    expected: 201,
  },
  ...Array.from({ length: CHECKS }, (_, check) => attest(org, n, check)),
  attestWithFile(org, n),
];

/** What happens after a release: it is asserted, one environment reports it, and somebody looks at it. */
export const deploymentSteps = (org: string, n: number): Step[] => {
  const report = (operation: Operation, expected: number): Step => ({
    operation,
    group: environmentsGroup,
    request: reportOf(org, environmentOf(n), n),
    expected,
  });
  return [
    {
      operation: 'assert',
      group: assertsGroup,
      request: { method: 'GET', path: `/asserts/${org}/fingerprint/${fingerprintOf(contentOf(org, n))}` },
      expected: 200,
    },
    report('report with a change', 201),
    // The report before was evaluated, but the environment was marked after that.
    report('report that is evaluated again', 200),
    report('report without a change', 200),
    ...pageOf(org, n),
  ];
};
