import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { type AttestationId, type FlowId, newId } from '#shared/base/ids.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { testApi } from '#test/support/api.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, newOrganization } from '#test/support/evidence.ts';
import { indexSbom } from '#test/support/records/indexed-sboms.ts';

const api = await testApi(groups);
const acme = await newOrganization(api);
await acme.report(anArtifact('cli'));
for (const [method, path, json] of [
  ['PUT', `/environments/${acme.org}`, { name: 'prod', type: 'server' }],
  ['PUT', `/environments/${acme.org}/prod/report/server`, onServer({ app: 'a' })],
  ['POST', `/controls/${acme.org}`, { identifier: 'C-1', name: 'reviewed' }],
  ['PUT', `/trust-roots/${acme.org}/alive`, { kind: 'public-key', public_key: PUBLIC_KEY }],
  ['PUT', `/signers/${acme.org}/alive`, { trust_root: 'alive' }],
  ['PUT', `/recalls/${acme.org}/alive`, { signer: 'alive', reason: 'a key leaked' }],
  ['PUT', `/watches/${acme.org}/alive`, { purl: 'pkg:npm/lodash@1.0.0' }],
  [
    'PUT',
    `/expectations/${acme.org}`,
    { name: 'alive', kind: 'reports', scope: { environments: ['prod'] }, every: 'PT20M' },
  ],
  [
    'PUT',
    `/actions/${acme.org}/flows`,
    {
      name: 'team',
      type: 'flow',
      flows: ['web'],
      triggers: ['ON_ATTESTATION'],
      targets: [{ type: 'EMAIL', emails: ['a@b.example'] }],
    },
  ],
] as const) {
  const { status, text } = await acme.call(method, path, { json });
  if (status >= 300) throw new Error(`${path}: ${text}`);
}
const { id: flow } = (await acme.get(`/flows/${acme.org}/web`)).json as { id: FlowId };
const SBOM = newId<AttestationId>(api.services.clock.now());
await indexSbom(api.services, acme.id, {
  ...{ id: SBOM, flow, trail: 'run', at: api.services.clock.now(), number: 2, scopes: [{ kind: 'trail' }] },
  holds: ['pkg:npm/lodash@1.0.0', 'pkg:npm/other@1.0.0'],
});
const PLACES: Record<string, string> = {
  org: acme.org,
  flow: 'web',
  flow_name: 'web',
  trail_name: 'run',
  env_name: 'prod',
  snappish: '-1',
  identifier: 'C-1',
  action_number: '1',
  fingerprint: fingerprintOf('cli'),
  attestation_id: SBOM,
  // Of expectations, watches, trust roots, signers and recalls.
  name: 'alive',
};
/** What a request must name beside the page. */
const NEEDED: Record<string, string> = {
  '/env-diff/{org}': 'environment=prod&from=0&',
  '/components/{org}': 'purl=pkg:npm/lodash@1.0.0&',
  '/components/{org}/exposure': 'purl=pkg:npm/lodash@1.0.0&',
  '/components/{org}/differences': `from=${fingerprintOf('cli')}&to=${fingerprintOf('cli')}&`,
};
const needed = ({ path }: Endpoint) => NEEDED[path] ?? '';
const pathOf = ({ path }: Endpoint) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? `no ${name}`);

const all = groups.flatMap(({ endpoints }) => endpoints);
const paged = all.filter(({ query }) => 'page' in query.shape);
const byCursor = all.filter(({ query }) => 'cursor' in query.shape && !('page' in query.shape));

describe('lists with pages', () => {
  it('are all asked here', () => {
    expect(paged.length).toBeGreaterThanOrEqual(17);
    expect(byCursor.length).toBeGreaterThanOrEqual(2);
  });

  it.each(paged.map((endpoint) => [endpoint.path, endpoint] as const))(
    'give totals in headers: %s',
    async (_, endpoint) => {
      const { status, headers } = await acme.get(pathOf(endpoint), `${needed(endpoint)}page=1&per_page=1`);
      expect([status, headers['x-current-page'], headers['x-per-page']]).toEqual([200, '1', '1']);
      const [count, pages] = [Number(headers['x-total-count']), Number(headers['x-total-pages'])];
      expect(pages).toBe(count);
      expect(headers['link'] === undefined).toBe(pages <= 1);
    },
  );

  it.each(paged.map((endpoint) => [endpoint.path, endpoint] as const))(
    'refuse a page that is too large: %s',
    async (_, endpoint) => {
      const { status, json } = await acme.get(pathOf(endpoint), `${needed(endpoint)}per_page=1001`);
      expect([status, Object.keys((json as { errors?: object }).errors ?? {})]).toEqual([400, ['query.per_page']]);
    },
  );

  it.each(byCursor.map((endpoint) => [endpoint.path, endpoint] as const))(
    'link to the next page by its cursor: %s',
    async (_, endpoint) => {
      const { status, json, headers } = await acme.get(pathOf(endpoint), `${needed(endpoint)}per_page=1`);
      const { next_cursor: cursor } = json as { next_cursor: string | null };
      expect(status).toBe(200);
      if (cursor === null) expect(headers).not.toHaveProperty('link');
      else expect(headers['link']).toContain(`per_page=1&cursor=${cursor}>; rel="next"`);
    },
  );
});
