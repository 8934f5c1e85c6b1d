import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { controlsGroup } from '#functions/controls/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { storedKey } from '#shared/table/keys.ts';
import { testId } from '#test/support/ids.ts';
import type { BenchStack } from '../bench-stack.ts';
import { type BenchRequest, beginTrail, type Client, clientOf, formOf, reportArtifact } from '../client.ts';
import { makeFurther } from '../requests/made.ts';
import { makeResources } from '../requests/organization-requests.ts';
import {
  attestation,
  changingEnvironment,
  ENVIRONMENTS,
  FLOW,
  FLOWS,
  flowName,
  RUNNING,
  runningContent,
  SNAPSHOTS,
  STRICT_POLICY,
  serverReport,
  TEMPLATE,
  unchangedEnvironment,
} from './facts.ts';
import { fillTrails, hasEvidence, sampleOf, trailName } from './fill.ts';

/** An organization in which requests are measured. */
export interface BenchOrganization {
  name: string;
  trails: number;
  /** API key of an admin. */
  key: string;
  client: Client;
}

const SAMPLE = 'the-sample-trail';
const WIDTH = 4;

/** Makes an organization with `trails` trails and with everything that the measured requests need. */
export async function makeOrganization(
  stack: BenchStack,
  name: string,
  trails: number,
  progress: (text: string) => void,
): Promise<BenchOrganization> {
  const { table } = stack.services;
  const key = `key-of-${name}`;
  await applySeed(stack.services, {
    organizations: [
      {
        name,
        features: ['controls', 'evaluations'],
        members: [{ user: `ann-of-${name}`, role: 'admin', api_key: key }],
      },
    ],
  });
  const client = clientOf(stack, key);
  const send = (group: EndpointGroup, expected: number, request: BenchRequest) =>
    client.direct(group, request, expected);
  const put = (group: EndpointGroup, path: string, json: unknown, expected = 201) =>
    send(group, expected, { method: 'PUT', path, json });

  await send(flowsGroup, 201, {
    method: 'PUT',
    path: `/flows/${name}/template_file`,
    form: formOf({ data_json: JSON.stringify({ name: FLOW }) }, { template_file: TEMPLATE }),
  });
  const org = testId<OrganizationId>(String((await table.get(storedKey(`@ORG#${name}`, 'ORG')))?.['id']));
  await fill(stack, { name, org, trails, key, client, progress });

  await inParallel(Array.from({ length: FLOWS }).keys(), WIDTH, async (i) => {
    await put(flowsGroup, `/flows/${name}`, { name: flowName(i), template: [] });
  });
  for (let i = 0; i < RUNNING; i += 1) {
    await send(artifactsGroup, 201, reportArtifact(name, runningContent(name, i), trailName(i)));
  }
  await send(controlsGroup, 201, {
    method: 'POST',
    path: `/controls/${name}`,
    json: { identifier: 'SC-1', name: 'Source' },
  });
  await send(policiesGroup, 201, {
    method: 'PUT',
    path: `/policies/${name}`,
    form: formOf({ payload: JSON.stringify({ name: 'strict' }) }, { policy_file: STRICT_POLICY }),
  });
  await makeEnvironments(name, put);
  await makeResources(name, trails, send);
  await makeFurther(stack, client, name, org);
  return { name, trails, key, client };
}

type Put = (group: EndpointGroup, path: string, json: unknown, expected?: number) => Promise<unknown>;

async function makeEnvironments(org: string, put: Put): Promise<void> {
  const each = Array.from({ length: ENVIRONMENTS }).keys();
  const names = ['history', ...[...each].flatMap((i) => [unchangedEnvironment(i), changingEnvironment(i)])];
  await inParallel(names, WIDTH, async (name) => {
    const json = { name, type: 'server', description: 'Production', policies: ['strict'] };
    await put(environmentsGroup, `/environments/${org}`, json);
    await put(environmentsGroup, `/environments/${org}/${name}/report/server`, serverReport(org));
  });
  for (let i = 1; i < SNAPSHOTS; i += 1) {
    await put(
      environmentsGroup,
      `/environments/${org}/history/report/server`,
      serverReport(org, `unknown artifact ${i}`),
    );
  }
}

interface Filling extends BenchOrganization {
  org: OrganizationId;
  progress: (text: string) => void;
}

async function fill(stack: BenchStack, { name, org, trails, client, progress }: Filling): Promise<void> {
  const { table, clock } = stack.services;
  const from = clock.now();
  const begun = await stack.recorder.record(async () => {
    await client.direct(trailsGroup, beginTrail(name, SAMPLE), 201);
  });
  const attested = await stack.recorder.record(async () => {
    await client.direct(attestationsGroup, review(name), 201);
  });
  const to = clock.now();
  const bare = sampleOf([begun], SAMPLE, from, to);
  const full = sampleOf([begun, attested], SAMPLE, from, to);
  let reported = 0;
  await fillTrails({
    table,
    org,
    count: trails,
    now: to,
    sampleOf: (n) => (hasEvidence(n) ? full : bare),
    progress: (done) => {
      if (done < reported + 10_000 && done < trails) return;
      reported = done;
      progress(`${name}: ${done} of ${trails} trails, ${bare.items.length} or ${full.items.length} items each`);
    },
  });
}

const review = (org: string): BenchRequest => ({
  method: 'POST',
  path: `/attestations/${org}/${FLOW}/trail/${SAMPLE}/generic`,
  json: attestation('review', 0),
});
