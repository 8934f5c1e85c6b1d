import { setTimeout as sleep } from 'node:timers/promises';
import type { OrganizationId } from '#shared/base/ids.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { artifactReport, attestation, FLOW, fingerprintOf } from '../organizations/facts.ts';
import type { WholeStack } from './stack.ts';

/** The requests of the one client. */

const RETRYABLE: readonly number[] = [409, 429, 503];
const RETRY_AFTER_MILLIS = 500;
const TRIES = 20;

export const ORG = 'bench';
export const KEY = 'key-of-the-bench';
export const SEED = { organizations: [{ name: ORG, members: [{ user: 'bench', role: 'admin', api_key: KEY }] }] };

export interface WholeClient {
  table: Table;
  org: OrganizationId;
  /** @throws Error if the answer is no success */
  write(method: string, path: string, body: unknown): Promise<Response>;
  get(path: string): Promise<Response>;
}

/** Environments with a writer. Further environments are for probes, so that no other writer is in their way. */
export const WRITERS = 32;
/** The place of the environment and the trail of the n-th write. */
export const placeOf = (n: number): number => n % WRITERS;
export const environmentOf = (i: number): string => `env-${i}`;
/** The trail of the artifact that runs in the i-th environment. */
export const trailOf = (i: number): string => `trail-${i}`;
const contentOf = (i: number): string => `content ${i}`;

export async function wholeClient({ url, table }: WholeStack): Promise<WholeClient> {
  const send = (method: string, path: string, body?: unknown) => {
    const isForm = body instanceof FormData;
    return fetch(`${url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
  };
  return {
    table,
    org: testId<OrganizationId>(String((await table.get(storedKey(`@ORG#${ORG}`, 'ORG')))?.['id'])),
    get: (path) => send('GET', path),
    async write(method, path, body) {
      let answer = await send(method, path, body);
      // A client repeats what the service asks it to repeat: a conflict, too many requests at once, an overload.
      for (let i = 0; RETRYABLE.includes(answer.status) && i < TRIES; i += 1) {
        await answer.arrayBuffer();
        await sleep(RETRY_AFTER_MILLIS);
        answer = await send(method, path, body);
      }
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return answer;
    },
  };
}

/** Makes an action with one webhook, and environments that each run an artifact with a trail of its own. */
export async function prepare(client: WholeClient, webhook: string, environments: number): Promise<void> {
  await client.write('PUT', `/flows/${ORG}`, { name: FLOW, template: ['artifact'] });
  const targets = [{ type: 'WEBHOOK', webhook }];
  await client.write('PUT', `/actions/${ORG}/flows`, { name: 'tell', targets, triggers: ['ON_ATTESTATION'] });
  for (let i = 0; i < environments; i += 1) {
    await client.write('PUT', `/environments/${ORG}`, { name: environmentOf(i), type: 'server' });
    await beginTrail(client, trailOf(i));
    await client.write('POST', `/artifacts/${ORG}/${FLOW}`, artifactReport(contentOf(i), trailOf(i)));
    await report(client, i, 'nothing else');
  }
}

function beginTrail(client: WholeClient, name: string): Promise<Response> {
  const form = new FormData();
  form.append('data_json', JSON.stringify({ name, description: 'A release' }));
  return client.write('PUT', `/trails/${ORG}/${FLOW}`, form);
}

/** Reports the artifact of an environment and one more. */
export const report = (client: WholeClient, i: number, unknown: string): Promise<Response> =>
  client.write('PUT', `/environments/${ORG}/${environmentOf(i)}/report/server`, {
    artifacts: [contentOf(i), unknown].map((content, place) => ({
      digests: { [`service-${place}`]: fingerprintOf(content) },
      creationTimestamp: 1_776_000_000,
    })),
  });

export const attest = (client: WholeClient, i: number, name: string, n: number): Promise<Response> =>
  client.write('POST', `/attestations/${ORG}/${FLOW}/trail/${trailOf(i)}/generic`, attestation(name, n));

export const isAttestation = (n: number): boolean => n % 10 > 1 && n % 20 !== 2;

/** Makes the n-th write: of 20 writes, 15 are attestations, 2 trails, 2 artifacts and 1 a changed report. */
export function writeOnce(client: WholeClient, n: number): Promise<Response> {
  const place = placeOf(n);
  if (n % 10 === 0) return beginTrail(client, `begun-${n}`);
  if (n % 10 === 1) {
    return client.write('POST', `/artifacts/${ORG}/${FLOW}`, artifactReport(`built ${n}`, trailOf(place)));
  }
  if (!isAttestation(n)) return report(client, place, `changed ${n}`);
  return attest(client, place, nameOf(n), n);
}

/** The name of the attestation that is the n-th write. */
export const nameOf = (n: number): string => `check-${n}`;
