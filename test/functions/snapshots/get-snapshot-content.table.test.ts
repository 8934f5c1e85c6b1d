import { describe, expect, it } from 'vitest';
import { prepareBody, readBody } from '#shared/bodies/bodies.ts';
import { sealLink } from '#shared/environments/records/chain.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { readSealedContent, readSnapshot } from '#shared/environments/records/snapshots.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { readingOrganization, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();

/** An organization with the environment `prod`. */
const setup = async (type = 'server') => {
  const acme = await readingOrganization(api);
  await acme.putEnvironment('prod', type);
  return acme;
};

describe('GET /snapshots/{org}/{env_name}/{snappish} and the content of the snapshot', () => {
  it('shows no artifacts if the content was erased', async () => {
    const acme = await setup();
    await acme.run('prod', onServer({ app: 'a' }));
    const { id } = await acme.head('prod');
    expect((await acme.snapshot('prod')).artifacts).toHaveLength(1);
    await api.services.table.update(snapshotContentKey(acme.id, id, 1), {
      UpdateExpression: 'SET body.#store = :erased REMOVE body.#data',
      ExpressionAttributeNames: { '#store': 'store', '#data': 'data' },
      ExpressionAttributeValues: { ':erased': 'erased' },
    });
    expect(await acme.snapshot('prod')).toMatchObject({ index: 1, artifacts: [], applied_policies: [] });
  });

  it('takes two round trips by a remembered name, and a third for a content in the bucket from another container', async () => {
    const acme = await setup();
    await acme.report(anArtifact('app'));
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.snapshot('prod');
    const trips = async (snappish: string) => {
      await acme.snapshot('prod', snappish);
      return api.entries.at(-1)?.['aws_sequential'];
    };
    expect(await trips('-1')).toBe(2);
    expect(await trips('1')).toBe(2);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`app-${i}`, `content ${i}`]));
    await acme.run('prod', onServer({ app: 'app', ...many }));
    expect(await trips('-1')).toBe(2);
    await storedElsewhere(acme);
    expect(await trips('-1')).toBe(3);
    expect(await trips('~0')).toBe(2);
    expect(await trips('~1')).toBe(3);
  });

  /** Replaces the newest content by an equal one with another text, so that it is not in memory. */
  async function storedElsewhere(acme: Awaited<ReturnType<typeof setup>>): Promise<void> {
    const { table, objects } = api.services;
    const { id, index } = await acme.head('prod');
    const key = snapshotContentKey(acme.id, id, index);
    const present = await readSealedContent(table, acme.id, id, index);
    const snapshot = await readSnapshot(table, acme.id, id, index);
    if (!present || !snapshot) throw new Error('There is no snapshot');
    const text = await readBody(objects, acme.id, present.body);
    const { body, upload, commitment } = prepareBody(objects, acme.id, `${text} `, 'snapshot');
    expect(body.store).toBe('s3');
    await upload();
    await table.put({ ...key, v: 1, body });
    const place = { org: acme.id, environment: id, number: index, at: snapshot.at };
    const link = sealLink(place, snapshot, commitment, snapshot.previous);
    await table.put({ ...snapshotKey(acme.id, id, index), v: 1, ...link });
  }
});
