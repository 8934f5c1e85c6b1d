import { describe, expect, it } from 'vitest';
import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import type { EnvironmentId } from '#shared/base/ids.ts';
import { environmentHeadKey, snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { attestationKey, momentKey, trailHeadKey, trailPartition } from '#shared/evidence/records/keys.ts';
import { auditEntry } from '#shared/organizations/records/audit.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Key } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups } from '#test/support/environments.ts';
import { refusal } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { loggedOrganization } from '#test/support/log/receipts.ts';

// rules/log.md#records-that-are-gone

const api = await testApi([...environmentGroups, snapshotsGroup, receiptsGroup]);
const { table, clock, objects, keys, origin } = api.services;
const integrator = integratorOf(table, { objects, clock, origin, logSigner: keys.log });

/** An organization with four moments and two snapshots in the log, whose items a test may remove. */
async function logged() {
  const acme = await loggedOrganization(api, integrator);
  const { subject } = (await acme.getJson('trails/web/run/1')).header;
  const indexOf = async (path: string) => (await acme.getJson(path)).index;
  const environment = (await acme.getJson('environments/prod/1')).header.subject as unknown as {
    environment: EnvironmentId;
  };
  return {
    ...acme,
    ...subject,
    ...environment,
    indexOf,
    look: (path: string) => {
      const [before = '', query = ''] = path.split('?');
      return acme.call('GET', before, { query });
    },
    receipt: async (path: string) => refusal(await acme.get(path)),
    moment: (number: number) => momentKey(acme.id, subject.flow, testName('run'), number),
    snapshot: (index: number) => snapshotKey(acme.id, environment.environment, index),
    remove: (key: Key) => table.write({ remove: key }),
  };
}

const gone = (index: number) => [500, { message: `Entry ${index} is in the log, its record is gone` }];
const faults = () => api.entries.filter(({ level, message }) => level === 'ERROR' && message !== 'request');

describe('a record that is gone while the log has it', () => {
  it('is named by its entry in a receipt of a moment, and a number that never was is 404', async () => {
    const acme = await logged();
    const index = await acme.indexOf('trails/web/run/2');
    await acme.remove(acme.moment(2));
    expect(await acme.receipt('trails/web/run/2')).toEqual(gone(index));
    expect((await acme.receipt('trails/web/run/5'))[0]).toBe(404);
    expect(faults().at(-1)?.message).toBe(`Entry ${index} is in the log, its record is gone`);
  });

  it('is named also if the head of the trail is gone', async () => {
    const acme = await logged();
    const index = await acme.indexOf('trails/web/run/4');
    await acme.remove(acme.moment(4));
    await acme.remove(trailHeadKey(trailPartition(acme.id, acme.flow, testName('run'))));
    expect(await acme.receipt('trails/web/run/4')).toEqual(gone(index));
  });

  it('is named in a receipt of a snapshot', async () => {
    const acme = await logged();
    const index = await acme.indexOf('environments/prod/2');
    await acme.remove(acme.snapshot(2));
    expect(await acme.receipt('environments/prod/2')).toEqual(gone(index));
    expect((await acme.receipt('environments/prod/3'))[0]).toBe(404);
  });

  it('is named in a receipt of an audit entry', async () => {
    const acme = await logged();
    const [record] = await acme.audited('environment.created');
    const entry = record && auditEntry(acme.id, record);
    if (!entry) throw new Error('The entry is missing');
    await integrator.integrate(acme.id, [entry]);
    const index = await acme.indexOf(`audit/${record.id}`);
    await acme.remove(auditKey(acme.id, monthOf(record.id), record.id as never));
    expect(await acme.receipt(`audit/${record.id}`)).toEqual(gone(index));
  });

  it.each([1, 2, 4])('is named by every read of a trail whose moment %i is missing', async (number) => {
    const acme = await logged();
    const index = await acme.indexOf(`trails/web/run/${number}`);
    await acme.remove(acme.moment(number));
    const trail = `/trails/${acme.org}/web/run`;
    for (const path of [trail, `${trail}?moment=4`, `${trail}/moments`]) {
      expect([path, ...refusal(await acme.look(path))]).toEqual([path, ...gone(index)]);
    }
  });

  it.each([1, 2])('is named by lists of attestations that read the moments, without moment %i', async (number) => {
    const acme = await logged();
    const index = await acme.indexOf(`trails/web/run/${number}`);
    await acme.remove(acme.moment(number));
    expect(refusal(await acme.look(`/attestations/${acme.org}/web/trail/run/lint`))).toEqual(gone(index));
  });

  it('is named if a moment has lost its attestation', async () => {
    const acme = await logged();
    const [attestation] = await acme.named('lint');
    const index = await acme.indexOf('trails/web/run/3');
    await acme.remove(attestationKey(acme.id, attestation?.['attestation_id'] as never));
    expect(refusal(await acme.look(`/attestations/${acme.org}/web/trail/run/lint`))).toEqual(gone(index));
    expect(refusal(await acme.look(`/attestations/${acme.org}?flow=web&trail=run`))).toEqual(gone(index));
  });

  it.each([1, 2])('is named by the reads of snapshot %i', async (number) => {
    const acme = await logged();
    const index = await acme.indexOf(`environments/prod/${number}`);
    await acme.remove(acme.snapshot(number));
    for (const path of [`prod/${number}`, 'prod?per_page=2']) {
      expect([path, ...refusal(await acme.look(`/snapshots/${acme.org}/${path}`))]).toEqual([path, ...gone(index)]);
    }
  });

  it('is named by a snapshot whose content or whose successor is missing', async () => {
    const acme = await logged();
    const [first, second] = [await acme.indexOf('environments/prod/1'), await acme.indexOf('environments/prod/2')];
    await acme.remove(acme.snapshot(2));
    expect(refusal(await acme.look(`/snapshots/${acme.org}/prod/1`))).toEqual(gone(second));
    await acme.remove(snapshotContentKey(acme.id, acme.environment, 1));
    expect(refusal(await acme.look(`/snapshots/${acme.org}/prod/1`))).toEqual(gone(first));
  });

  it('is named if the head of the environment was set back too', async () => {
    const acme = await logged();
    const index = await acme.indexOf('environments/prod/2');
    await table.update(environmentHeadKey(acme.id, acme.environment), {
      UpdateExpression: 'SET #index = :one',
      ExpressionAttributeNames: { '#index': 'index' },
      ExpressionAttributeValues: { ':one': 1 },
    });
    await acme.remove(acme.snapshot(2));
    expect(refusal(await acme.look(`/snapshots/${acme.org}/prod/2`))).toEqual(gone(index));
    expect(refusal(await acme.look(`/snapshots/${acme.org}/prod/3`))[0]).toBe(404);
  });
});
