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
import { testId } from '#test/support/ids.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Asked, beginTrail, type Client, clientOf, formOf, reportArtifact } from './client.ts';
import {
  aContent,
  attestation,
  changing,
  ENVIRONMENTS,
  FLOW,
  FLOWS,
  oneOfFlows,
  onServer,
  RUNNING,
  SNAPSHOTS,
  STRICT_POLICY,
  steady,
  TEMPLATE,
} from './facts.ts';
import { fillTrails, hasEvidence, sampleOf, trailName } from './fill.ts';
import { makeThings } from './organization-requests.ts';

/** An organization that requests are measured in. */
export interface BenchOrganization {
  name: string;
  trails: number;
  client: Client;
}

const SAMPLE = 'the-sample-trail';
const WIDTH = 4;

/** Makes an organization with so many trails and with everything that the requests ask for. */
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
  const send = (group: EndpointGroup, expected: number, asked: Asked) => client.direct(group, asked, expected);
  const put = (group: EndpointGroup, path: string, json: unknown, expected = 201) =>
    send(group, expected, { method: 'PUT', path, json });

  await send(flowsGroup, 201, {
    ...{ method: 'PUT', path: `/flows/${name}/template_file` },
    form: formOf({ data_json: JSON.stringify({ name: FLOW }) }, { template_file: TEMPLATE }),
  });
  const org = testId<OrganizationId>(String((await table.get({ pk: `@ORG#${name}`, sk: 'ORG' }))?.['id']));
  await fill(stack, { name, org, trails, client, progress });

  await inParallel(Array.from({ length: FLOWS }).keys(), WIDTH, async (i) => {
    await put(flowsGroup, `/flows/${name}`, { name: oneOfFlows(i), template: [] });
  });
  for (let i = 0; i < RUNNING; i += 1) {
    await send(artifactsGroup, 201, reportArtifact(name, aContent(name, i), trailName(i)));
  }
  await send(controlsGroup, 201, {
    ...{ method: 'POST', path: `/controls/${name}` },
    json: { identifier: 'SC-1', name: 'Source' },
  });
  await send(policiesGroup, 201, {
    ...{ method: 'PUT', path: `/policies/${name}` },
    form: formOf({ payload: JSON.stringify({ name: 'strict' }) }, { policy_file: STRICT_POLICY }),
  });
  await environments(name, put);
  await makeThings(name, trails, send);
  return { name, trails, client };
}

type Put = (group: EndpointGroup, path: string, json: unknown, expected?: number) => Promise<unknown>;

async function environments(org: string, put: Put): Promise<void> {
  const each = Array.from({ length: ENVIRONMENTS }).keys();
  const names = ['history', ...[...each].flatMap((i) => [steady(i), changing(i)])];
  await inParallel(names, WIDTH, async (name) => {
    const json = { name, type: 'server', description: 'Production', policies: ['strict'] };
    await put(environmentsGroup, `/environments/${org}`, json);
    await put(environmentsGroup, `/environments/${org}/${name}/report/server`, onServer(org));
  });
  for (let i = 1; i < SNAPSHOTS; i += 1) {
    await put(environmentsGroup, `/environments/${org}/history/report/server`, onServer(org, `stranger ${i}`));
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
  let told = 0;
  await fillTrails({
    ...{ table, org, count: trails, now: to },
    sampleOf: (n) => (hasEvidence(n) ? full : bare),
    progress: (done) => {
      if (done < told + 10_000 && done < trails) return;
      told = done;
      progress(`${name}: ${done} of ${trails} trails, ${bare.items.length} or ${full.items.length} items each`);
    },
  });
}

const review = (org: string): Asked => ({
  ...{ method: 'POST', path: `/attestations/${org}/${FLOW}/trail/${SAMPLE}/generic` },
  json: attestation('review', 0),
});
