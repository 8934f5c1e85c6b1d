import type { Stack } from '#infra/local/stack.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { artifactReport, attestation, FLOW, fingerprintOf } from './facts.ts';

/** The writers of `npm run bench:lag`, with the requests of the benchmark. */

export const ORG = 'bench';
export const KEY = 'key-of-the-bench';

export interface LagApi {
  table: Table;
  org: () => Promise<OrganizationId>;
  /** @throws Error if the answer is no success */
  call(method: string, path: string, body: unknown): Promise<void>;
}

export const environmentOf = (i: number): string => `env-${i}`;
/** The trail of the artifact that runs in the i-th environment. */
export const trailOf = (i: number): string => `trail-${i}`;
const contentOf = (i: number): string => `content ${i}`;

export const lagApi = ({ url, services: { table } }: Stack): LagApi => ({
  table,
  org: async () => testId<OrganizationId>(String((await table.get({ pk: `@ORG#${ORG}`, sk: 'ORG' }))?.['id'])),
  async call(method, path, body) {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  },
});

/** Makes an action with one target, and environments that each run an artifact with a trail of its own. */
export async function prepareLag(api: LagApi, target: string, environments: number): Promise<void> {
  await api.call('PUT', `/flows/${ORG}`, { name: FLOW, template: ['artifact'] });
  const targets = [{ type: 'WEBHOOK', webhook: target }];
  await api.call('PUT', `/actions/${ORG}/flows`, { name: 'tell', targets, triggers: ['ON_ATTESTATION'] });
  for (let i = 0; i < environments; i += 1) {
    await api.call('PUT', `/environments/${ORG}`, { name: environmentOf(i), type: 'server' });
    await beginTrail(api, trailOf(i));
    await api.call('POST', `/artifacts/${ORG}/${FLOW}`, artifactReport(contentOf(i), trailOf(i)));
    await report(api, i, 'nothing else');
  }
}

function beginTrail(api: LagApi, name: string): Promise<void> {
  const form = new FormData();
  form.append('data_json', JSON.stringify({ name, description: 'A release' }));
  return api.call('PUT', `/trails/${ORG}/${FLOW}`, form);
}

/** Reports the artifact of an environment and one more. */
export const report = (api: LagApi, i: number, unknown: string): Promise<void> =>
  api.call('PUT', `/environments/${ORG}/${environmentOf(i)}/report/server`, {
    artifacts: [contentOf(i), unknown].map((content, place) => ({
      digests: { [`service-${place}`]: fingerprintOf(content) },
      creationTimestamp: 1_776_000_000,
    })),
  });

export const attest = (api: LagApi, i: number, name: string, n: number): Promise<void> =>
  api.call('POST', `/attestations/${ORG}/${FLOW}/trail/${trailOf(i)}/generic`, attestation(name, n));

/**
 * Makes the n-th write of a client: in turn an attestation, a trail, an attestation, an artifact and a changed report.
 *
 * @param onAttested called with the name of an attestation when it was accepted
 */
export async function writeOnce(
  api: LagApi,
  client: number,
  n: number,
  onAttested: (name: string) => void,
): Promise<void> {
  const turn = Math.floor(n / 16) % 5;
  if (turn === 1) return beginTrail(api, `begun-${n}`);
  if (turn === 3) return api.call('POST', `/artifacts/${ORG}/${FLOW}`, artifactReport(`built ${n}`, trailOf(client)));
  if (turn === 4) return report(api, client, `changed ${n}`);
  const name = `check-${n}`;
  await attest(api, client, name, n);
  onAttested(name);
}
