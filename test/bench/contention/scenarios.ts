import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { type BenchRequest, beginTrail, formOf } from '../client.ts';
import { attestation, FLOW, STRICT_POLICY, serverReport } from '../organizations/facts.ts';

/** Writes that several writers make to one thing at the same time, or to one thing each. */
export interface Scenario {
  name: string;
  group: EndpointGroup;
  expected: number;
  /** Makes the n-th thing. */
  prepare: readonly [EndpointGroup, number, (org: string, thing: number) => BenchRequest];
  /** The n-th write of a writer to a thing. */
  write(org: string, thing: number, writer: number, n: number): BenchRequest;
}

const trailOf = (thing: number) => `contended-${thing}`;
const environmentOf = (thing: number) => `contended-${thing}`;
const policyOf = (thing: number) => `contended-${thing}`;
const flowOf = (thing: number) => `contended-${thing}`;

const policy = (org: string, thing: number, text: string): BenchRequest => ({
  method: 'PUT',
  path: `/policies/${org}`,
  form: formOf({ payload: JSON.stringify({ name: policyOf(thing) }) }, { policy_file: `# ${text}\n${STRICT_POLICY}` }),
});
const flow = (org: string, thing: number, description: string): BenchRequest => ({
  method: 'PUT',
  path: `/flows/${org}`,
  json: { name: flowOf(thing), description, template: [] },
});
const attest = (org: string, thing: number, name: string, n: number): BenchRequest => ({
  method: 'POST',
  path: `/attestations/${org}/${FLOW}/trail/${trailOf(thing)}/generic`,
  json: attestation(name, n),
});
const aTrail: Scenario['prepare'] = [trailsGroup, 201, (org, thing) => beginTrail(org, trailOf(thing))];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'attestations of different names, trail',
    group: attestationsGroup,
    expected: 201,
    prepare: aTrail,
    write: (org, thing, writer, n) => attest(org, thing, `check-of-${writer}`, n),
  },
  {
    name: 'attestations of the same name, trail',
    group: attestationsGroup,
    expected: 201,
    prepare: aTrail,
    write: (org, thing, _writer, n) => attest(org, thing, 'check', n),
  },
  {
    name: 'changed reports, environment',
    group: environmentsGroup,
    expected: 201,
    prepare: [
      environmentsGroup,
      201,
      (org, thing) => ({
        method: 'PUT',
        path: `/environments/${org}`,
        json: { name: environmentOf(thing), type: 'server', policies: ['strict'] },
      }),
    ],
    write: (org, thing, writer, n) => ({
      method: 'PUT',
      path: `/environments/${org}/${environmentOf(thing)}/report/server`,
      json: serverReport(org, `unknown artifact ${writer} ${n}`),
    }),
  },
  {
    name: 'new versions, policy',
    group: policiesGroup,
    expected: 200,
    prepare: [policiesGroup, 201, (org, thing) => policy(org, thing, 'first')],
    write: (org, thing, writer, n) => policy(org, thing, `${writer} ${n}`),
  },
  {
    name: 'changed descriptions, flow',
    group: flowsGroup,
    expected: 200,
    prepare: [flowsGroup, 201, (org, thing) => flow(org, thing, 'first')],
    write: (org, thing, writer, n) => flow(org, thing, `${writer} ${n}`),
  },
];
