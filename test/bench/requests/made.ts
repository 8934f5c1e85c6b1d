import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { environmentNameKey } from '#shared/environments/records/keys.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { askStarts } from '#shared/watches/asking/ask-starts.ts';
import { testName } from '#test/support/ids.ts';
import { recordingQueue } from '#test/support/queue.ts';
import type { BenchStack } from '../bench-stack.ts';
import { type Client, formOf } from '../client.ts';
import {
  artifactReport,
  attestation,
  FLOW,
  RUNNING,
  runningContent,
  runningFingerprint,
} from '../organizations/facts.ts';
import { rememberId } from './ids.ts';

export const CHECKED_TRAIL = 'the-checked-trail';
export const ACCOUNT = 'robot-0';
export const REPO = 'acme/web';
/** The numbers of an action and of a notification. Those of actions and notifications are counted together. */
export const ONE_ACTION = 1;
export const ONE_NOTIFICATION = 21;
const DELIVERIES = 25;
const KEYS = 10;
const AUDIENCE = 'evidence.example.com';

/**
 * Makes what the further reads need: attestations of artifacts, an attachment, a repository, what the expander stores,
 * deliveries, keys, a trust, an export.
 */
export async function makeFurther(stack: BenchStack, client: Client, name: string, org: OrganizationId): Promise<void> {
  await makeEvidence(client, name);
  await expand(stack, org, 'history');
  for (let i = 0; i < DELIVERIES; i += 1)
    await client.http(send('POST', `/actions/${name}/${ONE_ACTION}/test`, {}), 200);
  await makeKeys(client, name);
  const trust = { service_account: ACCOUNT, audience: AUDIENCE, preset: 'github', claims: { repository_id: '74' } };
  await client.http(send('PUT', `/trusts/${name}/ci`, trust), 201);
  rememberId(name, 'export', idIn(await client.http(send('POST', `/exports/${name}`, {}), 202)));
  const evaluations = await client.http({ method: 'GET', path: `/evaluations/${name}` }, 200);
  rememberId(name, 'evaluation', idIn(JSON.stringify(firstOf(evaluations, 'evaluations'))));
}

async function makeEvidence(client: Client, name: string): Promise<void> {
  const repo = { id: '4711', name: REPO, url: 'https://git.example/acme/web', provider: 'gitlab' };
  for (let i = 0; i < RUNNING; i += 1) {
    const report = { ...artifactReport(runningContent(name, i), CHECKED_TRAIL), repo_info: repo };
    await client.http(send('POST', `/artifacts/${name}/${FLOW}`, report), 201);
    const scan = { ...attestation('scan', i), artifact_fingerprint: runningFingerprint(name, i) };
    await client.http(send('POST', `/attestations/${name}/${FLOW}/trail/${CHECKED_TRAIL}/generic`, scan), 201);
  }
  const path = `/attestations/${name}/${FLOW}/trail/${CHECKED_TRAIL}`;
  const form = formOf({ data_json: JSON.stringify(attestation('report', 1)) }, { attachment_file: 'the report\n' });
  await client.http({ method: 'POST', path: `${path}/generic`, form }, 201);
  const [attested] = JSON.parse(await client.http({ method: 'GET', path: `${path}/report` }, 200)) as [
    { attestation_id: string },
  ];
  rememberId(name, 'attestation', attested.attestation_id);
}

/** Applies the effects of the snapshots, as the expander does. */
async function expand({ services }: BenchStack, org: OrganizationId, environment: string): Promise<void> {
  const item = await services.table.get(environmentNameKey(org, testName(environment)));
  const context = {
    services: { ...services, deliveries: recordingQueue().queue },
    memory: new EnvironmentMemory(),
    log(message: string) {
      throw new Error(message);
    },
    evaluationsOf,
    askStarts,
  };
  await expandSnapshots(context, org, item?.['environment'] as EnvironmentId);
}

async function makeKeys(client: Client, name: string): Promise<void> {
  for (let i = 0; i < KEYS; i += 1) {
    const key = send('POST', `/service-accounts/${name}/${ACCOUNT}/api-keys`, { description: `key ${i}` });
    rememberId(name, 'key', idIn(await client.http(key, 201)));
  }
  const personal = send('POST', '/user/api-keys', { description: 'laptop' });
  rememberId(name, 'personal key', idIn(await client.http(personal, 201)));
}

const send = (method: string, path: string, json: unknown) => ({ method, path, json });
const idIn = (answer: string): string => String((JSON.parse(answer) as { id: unknown }).id);
const firstOf = (answer: string, list: string): unknown => (JSON.parse(answer) as Record<string, unknown[]>)[list]?.[0];
