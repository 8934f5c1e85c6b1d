import { describe, expect, it } from 'vitest';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { readMoments } from '#shared/evidence/records/moments.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { testName } from '#test/support/ids.ts';
import { integrateStored } from '#test/support/log/log.ts';
import { momentsOf, type ReceiptJson, receiptsApi, receiptsOf } from '#test/support/log/receipts.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { scanItems } from '#test/support/table/scan-items.ts';
import { itemSize } from '#test/support/table/units.ts';
import { databaseAddress } from '#test/support/table.ts';

const { api, integrator } = await receiptsApi();
const { table } = api.services;

describe('the headers Evidence-Moment and Link', () => {
  it('name every moment of a write', async () => {
    const other = await environmentsOfOrganization(api);
    const write = await other.attest('generic', { attestation_name: 'lint' }, { trail: 'new~1' });
    expect(write.status).toBe(201);
    expect(receiptsOf(write)).toEqual(['trails/web/new~1/1', 'trails/web/new~1/2']);
    await integrateStored(integrator, other.id);
    const read = async (path: string) => {
      const { json } = await other.call('GET', `/receipts/${other.org}/${path}`, {
        headers: { accept: 'application/json' },
      });
      return (json as ReceiptJson).hash;
    };
    expect(await Promise.all(receiptsOf(write).map(read))).toEqual(momentsOf(write));
  });

  it('are the same when a write is repeated with its Idempotency-Key', async () => {
    const other = await environmentsOfOrganization(api);
    await other.putEnvironment('prod');
    await other.putPolicy('strict');
    await other.run('prod', onServer({ cli: 'cli' }));
    const request = (key: string) => ({ request: { headers: { 'idempotency-key': key } } });
    const allowed = { artifact_fingerprint: fingerprintOf('api'), artifact_name: 'api', description: 'ok' };
    const keyed = (key: string, json: unknown) => ({ json, headers: { 'idempotency-key': key } });
    const environment = `/environments/${other.org}/prod`;
    const writes: (() => Promise<TestAnswer>)[] = [
      () => other.begin({}, request('begin')),
      () => other.report(anArtifact('cli'), request('artifact')),
      () => other.attest('generic', { attestation_name: 'lint' }, request('attest')),
      () => other.run('prod', onServer({ cli: 'cli', api: 'api' }), request('report')),
      () => other.call('POST', `${environment}/policies`, keyed('attach', { policy_names: ['strict'] })),
      () => other.call('PUT', `/allowlists/${other.org}/prod`, keyed('allow', allowed)),
      () => other.call('DELETE', `${environment}/policies`, keyed('detach', { policy_names: ['strict'] })),
      () => other.call('PATCH', environment, keyed('patch', { policies: ['strict'] })),
      () =>
        other.call('PUT', `/environments/${other.org}`, keyed('put', { name: 'prod', type: 'server', policies: [] })),
    ];
    for (const write of writes) {
      const [first, again] = [await write(), await write()];
      expect([first.status, first.text]).toEqual([again.status, again.text]);
      expect(momentsOf(first)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
      expect([momentsOf(again), receiptsOf(again)]).toEqual([momentsOf(first), receiptsOf(first)]);
      expect(receiptsOf(first)).toHaveLength(1);
    }
    // A claim of more than 1 KB would cost its write two units more.
    const items = await scanItems(databaseAddress(), table.name, other.id);
    const claims = items.filter(({ appended }) => appended !== undefined);
    expect(claims).toHaveLength(writes.length);
    expect(Math.max(...claims.map(itemSize))).toBeLessThan(1024);
  });

  it('are never wrong if the database stored an attempt and its answer got lost', async () => {
    const other = await environmentsOfOrganization(api);
    const sentTwice = tableAround(table, async ({ command }, send) => {
      if (command === 'TransactWrite') await send();
      return send();
    });
    const attest = async (attestation_name: string) => {
      api.services.table = sentTwice;
      try {
        return await other.attest('generic', { attestation_name });
      } finally {
        api.services.table = table;
      }
    };
    const [creating, later] = [await attest('lint'), await attest('test')];
    expect([creating.status, momentsOf(creating)]).toEqual([201, []]);
    expect([later.status, receiptsOf(later)]).toEqual([201, ['trails/web/run/3']]);
    const flow = await findFlow(table, other.id, testName('web'));
    if (!flow) throw new Error('The flow exists');
    const moments = await readMoments(table, other.id, flow.id, testName('run'), { from: 1, to: 4 });
    expect(moments.map(({ hash }) => Buffer.from(hash).toString('hex')).slice(2)).toEqual(momentsOf(later));
  });

  it('are absent if a write appends nothing', async () => {
    const other = await environmentsOfOrganization(api);
    await other.begin({ description: 'd' });
    await other.putEnvironment('prod');
    await other.run('prod', onServer({ cli: 'cli' }));
    const same = [
      await other.begin({ description: 'd' }),
      await other.run('prod', onServer({ cli: 'cli' })),
      await other.putEnvironment('prod', 'server', { description: 'e' }),
      await other.allow('prod', 'unknown'),
    ];
    for (const { status, headers } of same) {
      expect([status < 300, headers['evidence-moment'], headers['link']]).toEqual([true, undefined, undefined]);
    }
  });
});
