import { describe, expect, it } from 'vitest';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
} from '#test/support/environments.ts';
import { fingerprintOf, refusal } from '#test/support/evidence.ts';

const api = await environmentsApi();

const STORED = [201, 'OK'];
const SAME = [200, 'OK'];

/** An organization with the environment `prod`. */
async function acmeWith(type: string): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  expect((await acme.putEnvironment('prod', type)).status).toBe(201);
  return acme;
}

describe('PUT /environments/{org}/{env}/report/{kind}: each kind', () => {
  const digests = { app: fingerprintOf('app') };
  const common = { digests, creationTimestamp: 1_776_000_000 };
  const owners = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'u', controller: true }];
  const KINDS: [kind: string, item: Record<string, unknown>, kept: Record<string, unknown>][] = [
    ['server', {}, {}],
    ['docker', {}, {}],
    ['S3', {}, {}],
    ['lambda', {}, {}],
    [
      'K8S',
      { podName: 'web-1-x', namespace: 'shop', owners },
      { pods: { 'web-1-x': { namespace: 'shop', creationTimestamp: 1_776_000_000, owners } } },
    ],
    [
      'ECS',
      { taskArn: 'task/1', cluster_name: 'c', service_name: 's' },
      { ecs_context: { task_arn: 'task/1', cluster_name: 'c', service_name: 's' } },
    ],
    [
      'azure-apps',
      { app_name: 'shop', app_kind: 'linux', digests_source: 'logs' },
      { azure_context: { app_name: 'shop', app_kind: 'linux', digests_source: 'logs' } },
    ],
    [
      'cloud-run',
      { kind: 'service', serviceName: 'shop', revisionName: 'shop-1' },
      {
        cloud_run_context: { kind: 'service', service_name: 'shop', revision_name: 'shop-1', job_name: null },
      },
    ],
  ];

  it.each(KINDS)('%s keeps the context of its instances', async (kind, item, kept) => {
    const acme = await acmeWith(kind);
    const body = { type: kind, id: 'legacy', artifacts: [{ ...common, ...item }] };
    expect(refusal(await acme.run('prod', body, { kind }))).toEqual(STORED);
    const { rows } = await acme.content('prod');
    expect(rows).toMatchObject([{ name: 'app', started: [1_776_000_000], ...kept }]);
    expect(Object.keys(rows[0] ?? {}).filter((name) => /pods|context/.test(name))).toEqual(Object.keys(kept));
  });

  it('accepts its neutral word in the path', async () => {
    const acme = await acmeWith('K8S');
    const body = { artifacts: [{ ...common, podName: 'p', namespace: 'n', owners: null }] };
    expect(refusal(await acme.run('prod', body, { kind: 'container-orchestrator' }))).toEqual(STORED);
    expect(refusal(await acme.run('prod', body, { kind: 'K8S' }))).toEqual(SAME);
  });

  it.each([
    ['K8S', { podName: 1, namespace: null, owners: [{}] }, ['podName', 'namespace', 'owners[0].apiVersion']],
    ['ECS', {}, ['taskArn']],
    ['azure-apps', { app_name: 7 }, ['app_name']],
    ['cloud-run', { kind: 'batch', more: 1 }, ['kind', 'more']],
  ])('%s refuses wrong fields of its own', async (kind, item, fields) => {
    const acme = await acmeWith(kind);
    const { status, json } = await acme.run('prod', { artifacts: [{ ...common, ...item }] }, { kind });
    expect(status).toBe(400);
    const errors = Object.keys((json as { errors: object }).errors);
    expect(errors).toEqual(expect.arrayContaining(fields.map((field) => `artifacts[0].${field}`)));
  });
});
