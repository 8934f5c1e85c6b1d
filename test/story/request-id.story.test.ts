import { expect, inject, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { startReceiver } from '#test/support/receiver.ts';
import { createOrganization, KEYS, newOrganizationName, sharedStackLog } from './shared-stack.ts';
import { callsOf, newFingerprint, type Sent } from './stack-api.ts';

const TIMEOUT = { timeout: 60_000 };

const Line = z.looseObject({ service: z.string(), message: z.string() });

/** The lines of all functions that name a request, as somebody who searches for its id finds them. */
const linesOf = (id: string) =>
  sharedStackLog()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(JSON.stringify(id)))
    .map((line) => Line.parse(JSON.parse(line)));

/** The functions that wrote these lines, each once. */
const servicesOf = (id: string) => [...new Set(linesOf(id).map(({ service }) => service))].toSorted();

/** Creates an organization in the shared stack. @returns a function that sends a request and returns the id of its answer */
async function requestsOfOrganization() {
  const org = newOrganizationName('traced');
  await createOrganization(org, ['evaluations'], { ann: 'admin' });
  let id = '';
  const { call, get } = callsOf(inject('stack').url, org, KEYS.ann, (_, __, ___, headers) => {
    id = headers.get('x-request-id') ?? '';
  });
  const send = async (method: string, path: string, sent?: Sent): Promise<string> => {
    const { status, text } = await call(method, path, sent);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return id;
  };
  return { send, get };
}

it('finds the id of an answer in the lines of every function that worked on the request, and at the message that it caused', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { send, get } = await requestsOfOrganization();
  const targets = [{ type: 'WEBHOOK', webhook: receiver.url }];
  await send('PUT', '/actions/flows', { json: { name: 'team', targets, triggers: ['ON_ATTESTATION'] } });
  const told = await send('POST', '/attestations/web/trail/run/generic', {
    form: { attestation_name: 'unit-tests', is_compliant: true },
  });
  await expect.poll(() => servicesOf(told), TIMEOUT).toEqual(['attestations', 'integrator', 'notifier', 'relay']);
  const { deliveries } = await get<{ deliveries: { request_id: string }[] }>('/deliveries');
  expect(deliveries.map(({ request_id }) => request_id)).toEqual([told]);

  const again = await send('POST', '/actions/1/test');
  await expect.poll(() => servicesOf(again), TIMEOUT).toEqual(['actions', 'notifier', 'relay']);
});

it('finds the id of a report in the lines of the expander and of the notifier, also behind a logical environment', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const { send, get } = await requestsOfOrganization();
  await send('PUT', '/environments', { json: { name: 'prod', type: 'docker' } });
  await send('PUT', '/environments', { json: { name: 'all', type: 'logical', included_environments: ['prod'] } });
  const targets = [{ type: 'WEBHOOK', webhook: receiver.url }];
  for (const name of ['prod', 'all']) {
    const json = { name: `of-${name}`, environments: [name], targets, triggers: ['ON_STARTED_ARTIFACT'] };
    await send('PUT', '/organizations/environments_notifications', { json });
  }
  const artifacts = [{ digests: { app: newFingerprint() }, creationTimestamp: 1_795_000_000 }];
  const reported = await send('PUT', '/environments/prod/report/docker', { json: { artifacts } });
  const delivered = async () => {
    const { deliveries } = await get<{ deliveries: { request_id: string; state: string }[] }>('/deliveries');
    return deliveries.map(({ request_id, state }) => [request_id, state]);
  };
  await expect.poll(delivered, TIMEOUT).toEqual([
    [reported, 'delivered'],
    [reported, 'delivered'],
  ]);
  await expect
    .poll(() => servicesOf(reported), TIMEOUT)
    .toEqual(['environments', 'expander', 'integrator', 'notifier', 'relay']);
});

it('finds the id of the request for an evaluation in the lines of the evaluator and of what its decision causes', async () => {
  const { send } = await requestsOfOrganization();
  await send('PUT', '/flows/template_file', { form: { name: 'web', description: '' } });
  await send('PUT', '/trails/web', { form: { name: 'run' } });
  const files = { 'policy.rego': 'package policy\n\nallow := true\n\nviolations := []\n' };
  const context = { trails: [{ flow: 'web', trail: 'run' }] };
  const evaluated = await send('POST', '/evaluations', { json: { context, policy: { files } } });
  await expect.poll(() => servicesOf(evaluated), TIMEOUT).toEqual(['evaluations', 'evaluator', 'integrator', 'relay']);
});
