import { describe, expect, it } from 'vitest';
import { readBody } from '#shared/bodies/bodies.ts';
import { snapshotContentKey } from '#shared/environments/records/keys.ts';
import { openContent, readSealedContent } from '#shared/environments/records/snapshots.ts';
import { readContentText } from '#shared/environments/rules/content-text.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, refusal } from '#test/support/evidence.ts';
import { firstBrokenSnapshot, isContentOf } from '#test/support/snapshot-chain.ts';

const api = await environmentsApi();
const { table, objects, clock } = api.services;
const DAY = 24 * 3600 * 1_000_000;

const STORED = [201, 'OK'];
const SAME = [200, 'OK'];

/** An organization with the environment `prod`. */
async function acmeWith(type = 'server'): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  expect((await acme.putEnvironment('prod', type)).status).toBe(201);
  return acme;
}

const annotations = async (acme: EnvironmentsOfOrganization) =>
  (await acme.content('prod')).rows.map(({ name, annotation: { type, was, now } }) => `${name} ${type} ${was}-${now}`);

/** Time of the last report in the catalogue. */
async function reportedAt(acme: EnvironmentsOfOrganization): Promise<number> {
  const { id } = await acme.head('prod');
  return Number((await table.get(catalogueKey(acme.id, ENVIRONMENTS.name, id)))?.['r']);
}

describe('PUT /environments/{org}/{env}/report/{kind}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/environments/${org}/prod/report/server`,
    request: { json: { artifacts: [] } },
    needs: 'snapshotter',
  });

  describe('a snapshot', () => {
    it('is stored by the first report, even if nothing runs', async () => {
      const acme = await acmeWith();
      expect(refusal(await acme.run('prod', { artifacts: [] }))).toEqual(STORED);
      expect(refusal(await acme.run('prod', { artifacts: [] }))).toEqual(SAME);
      expect(await acme.head('prod')).toMatchObject({ index: 1, state: null, known: null, events: 0 });
      expect(await acme.content('prod')).toEqual({ rows: [], policies: [] });
    });

    it('is stored if an artifact starts or exits, with the annotation of each', async () => {
      const acme = await acmeWith();
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(STORED);
      expect(await annotations(acme)).toEqual(['a started 0-1']);
      expect(refusal(await acme.run('prod', onServer({ a: 'a', b: 'b' })))).toEqual(STORED);
      expect(await annotations(acme)).toEqual(['b started 0-1', 'a unchanged 1-1']);
      expect(refusal(await acme.run('prod', onServer({ b: 'b' })))).toEqual(STORED);
      expect(await annotations(acme)).toEqual(['b unchanged 1-1', 'a exited 1-0']);
      expect(refusal(await acme.run('prod', onServer({ b: 'b' })))).toEqual(SAME);
      // An exited artifact is shown once. If it comes back, it is a start.
      expect(refusal(await acme.run('prod', onServer({ a: 'a', b: 'b' })))).toEqual(STORED);
      expect(await annotations(acme)).toEqual(['a started 0-1', 'b unchanged 1-1']);
      expect((await acme.snapshots('prod')).map(({ events, eventsBefore }) => [eventsBefore, events])).toEqual([
        [0, 1],
        [1, 1],
        [2, 1],
        [3, 1],
      ]);
    });

    it('is not stored for counts, times and order of instances alone', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a', b: 'b' }));
      const [one, other] = [onServer({ a: 'a' }, 5).artifacts, onServer({ b: 'b' }, 7).artifacts];
      expect(refusal(await acme.run('prod', { artifacts: [...other, ...one, ...one] }))).toEqual(SAME);
      expect((await acme.head('prod')).index).toBe(1);
      // Counts are stored if a snapshot is stored for another reason.
      await acme.run('prod', { artifacts: [...other, ...one, ...one, ...onServer({ c: 'c' }).artifacts] });
      expect((await acme.row('prod', 'a')).annotation).toEqual({ type: 'unchanged', was: 1, now: 2 });
    });

    it('merges instances of the same name and fingerprint', async () => {
      const acme = await acmeWith('docker');
      const item = (creationTimestamp: number) => ({ digests: { web: fingerprintOf('web') }, creationTimestamp });
      await acme.run('prod', { artifacts: [item(30), item(10), item(20)] }, { kind: 'docker' });
      expect((await acme.content('prod')).rows).toMatchObject([
        { name: 'web', started: [10, 20, 30], annotation: { type: 'started', was: 0, now: 3 } },
      ]);
    });

    it('separates artifacts by name and fingerprint, and those without fingerprint by name', async () => {
      const acme = await acmeWith('docker');
      const [one, two] = [fingerprintOf('1'), fingerprintOf('2')];
      const artifacts = [
        { digests: { web: one, api: one, tool: '' }, creationTimestamp: 1 },
        { digests: { web: two }, creationTimestamp: 1 },
      ];
      expect(refusal(await acme.run('prod', { artifacts }, { kind: 'docker' }))).toEqual(STORED);
      expect(refusal(await acme.run('prod', { artifacts }, { kind: 'docker' }))).toEqual(SAME);
      expect((await acme.content('prod')).rows.map(({ name, fingerprint }) => [name, fingerprint]).sort()).toEqual(
        [
          ['api', one],
          ['tool', ''],
          ['web', one],
          ['web', two],
        ].sort(),
      );
    });

    it('is linked to the one before by its hash, and commits to its content', async () => {
      const acme = await acmeWith();
      for (const name of ['a', 'b', 'c']) await acme.run('prod', onServer({ [name]: name }));
      const { id, hash, at } = await acme.head('prod');
      const snapshots = await acme.snapshots('prod');
      expect(snapshots.map(({ index }) => index)).toEqual([1, 2, 3]);
      expect(firstBrokenSnapshot(acme.id, id, snapshots)).toBeNull();
      expect([Buffer.from(hash), at]).toEqual([Buffer.from(snapshots.at(-1)?.hash ?? ''), snapshots.at(-1)?.at]);
      for (const snapshot of snapshots) {
        const body = (await readSealedContent(table, acme.id, id, snapshot.index))?.body;
        const text = body && (await readBody(objects, acme.id, body));
        expect(body && text && isContentOf(snapshot, body, text)).toBe(true);
        expect(body && text && isContentOf(snapshot, body, `${text} `)).toBe(false);
      }
    });
  });

  it('remembers the content of a snapshot as a reader would read it', async () => {
    const acme = await acmeWith('K8S');
    expect((await acme.putPolicy('strict')).status).toBe(201);
    expect((await acme.attach('prod', 'strict')).status).toBe(200);
    await acme.report(anArtifact('web'));
    const pods = (name: string) => ({
      podName: name,
      namespace: 'shop',
      digests: { [name]: fingerprintOf(name) },
      creationTimestamp: 1,
    });
    for (const names of [['web', 'api'], ['web']]) {
      expect(refusal(await acme.run('prod', { artifacts: names.map(pods) }, { kind: 'K8S' }))).toEqual(STORED);
      const { id, index } = await acme.head('prod');
      const sealed = await readSealedContent(table, acme.id, id, index);
      if (!sealed) throw new Error('A snapshot without a content');
      const text = await readBody(objects, acme.id, sealed.body);
      // The data of the body is deleted, so the answer can only come from memory.
      const { data: _, ...bare } = sealed.body;
      expect(await openContent(objects, acme.id, { ...sealed, body: bare })).toStrictEqual(readContentText(text ?? ''));
    }
  });

  describe('an unchanged report', () => {
    it('only stores its time', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a' }));
      const [before, reported] = [await acme.head('prod'), await reportedAt(acme)];
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(SAME);
      expect(await acme.head('prod')).toEqual(before);
      expect(await reportedAt(acme)).toBeGreaterThan(reported);
    });

    it('evaluates after a mark, and finds no difference', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a' }));
      await acme.raiseMark('prod');
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(SAME);
      expect(await acme.head('prod')).toMatchObject({ index: 1, mark: 1, evaluatedMark: 1 });
    });

    it('evaluates once a day in any case', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ web: 'web' }));
      await acme.report(anArtifact('web'));
      const { evaluatedAt } = await acme.head('prod');
      // The mark was not raised for this artifact.
      expect(refusal(await acme.run('prod', onServer({ web: 'web' })))).toEqual(SAME);
      clock.advance(DAY);
      expect(refusal(await acme.run('prod', onServer({ web: 'web' })))).toEqual(STORED);
      expect((await acme.head('prod')).evaluatedAt).toBeGreaterThan(evaluatedAt + DAY - 1);
      expect(await annotations(acme)).toEqual(['web updated-provenance 1-1']);
    });
  });

  describe('a content that was erased', () => {
    /** Erases the content of the newest snapshot. */
    async function erase(acme: EnvironmentsOfOrganization): Promise<void> {
      const { id, index } = await acme.head('prod');
      const key = snapshotContentKey(acme.id, id, index);
      const item = await table.get(key);
      await table.put({ ...key, v: 1, body: { ...(item?.['body'] as object), store: 'erased', data: undefined } });
    }

    it('cannot be compared with, so everything starts again', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a', b: 'b' }));
      await erase(acme);
      expect(refusal(await acme.run('prod', onServer({ a: 'a', b: 'b' })))).toEqual(SAME);
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(STORED);
      expect(await annotations(acme)).toEqual(['a started 0-1']);
      const { id } = await acme.head('prod');
      expect(firstBrokenSnapshot(acme.id, id, await acme.snapshots('prod'))).toBeNull();
    });

    it('cannot be evaluated by policies, so the next report is evaluated', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a' }));
      await erase(acme);
      await acme.putPolicy('strict');
      expect((await acme.attach('prod', 'strict')).status).toBe(200);
      expect((await acme.allow('prod', 'b')).status).toBe(201);
      expect((await acme.head('prod')).index).toBe(1);
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(STORED);
      expect(await acme.head('prod')).toMatchObject({ index: 2, state: false });
    });
  });

  describe('the same report again under an Idempotency-Key', () => {
    it('repeats the first answer', async () => {
      const acme = await acmeWith();
      const request = { headers: { 'idempotency-key': 'k1' } };
      expect(refusal(await acme.run('prod', onServer({ a: 'a' }), { request }))).toEqual(STORED);
      await acme.run('prod', onServer({ b: 'b' }));
      expect(refusal(await acme.run('prod', onServer({ a: 'a' }), { request }))).toEqual(STORED);
      expect((await acme.head('prod')).index).toBe(2);
      const other = await acme.run('prod', onServer({ c: 'c' }), { request });
      expect(other.status).toBe(400);
    });

    it('repeats the answer of an unchanged report as well', async () => {
      const acme = await acmeWith();
      await acme.run('prod', onServer({ a: 'a' }));
      const request = { headers: { 'idempotency-key': 'k2' } };
      expect(refusal(await acme.run('prod', onServer({ a: 'a' }), { request }))).toEqual(SAME);
      await acme.run('prod', onServer({ b: 'b' }));
      expect(refusal(await acme.run('prod', onServer({ a: 'a' }), { request }))).toEqual(SAME);
      expect((await acme.head('prod')).index).toBe(2);
    });
  });

  describe('the reason of a refusal', () => {
    it('is an unknown or an archived environment', async () => {
      const acme = await acmeWith();
      const there = `for organization '${acme.org}'`;
      expect(refusal(await acme.run('nowhere', onServer({})))).toEqual([
        404,
        { message: `Environment named 'nowhere' does not exist ${there}` },
      ]);
      await acme.run('prod', onServer({ a: 'a' }));
      await acme.call('PUT', `/environments/${acme.org}/prod/archive`, { text: 'null' });
      const archived = [404, { message: `Environment named 'prod' has been archived ${there}` }];
      expect(refusal(await acme.run('prod', onServer({ a: 'a' })))).toEqual(archived);
    });

    it('is a logical environment, or a report of another kind, with both kinds in the sentence', async () => {
      const acme = await acmeWith('K8S');
      await acme.putEnvironment('all', 'logical');
      expect(refusal(await acme.run('all', onServer({})))).toEqual([
        400,
        { message: 'cannot report a snapshot to the logical environment all' },
      ]);
      expect(refusal(await acme.run('all', {}, { kind: 'logical' }))).toEqual([
        400,
        { message: 'cannot report a snapshot to the logical environment all' },
      ]);
      for (const kind of ['server', 'k8s', 'unknown']) {
        expect(refusal(await acme.run('prod', { artifacts: [] }, { kind }))).toEqual([
          400,
          { message: `Environment 'prod' is of type K8S: it takes no report of type ${kind}` },
        ]);
      }
      expect(refusal(await acme.run('nowhere', {}, { kind: 'unknown' }))[0]).toBe(404);
      expect((await acme.head('prod')).index).toBe(0);
    });

    it('is a wrong body, field by field, before the environment is looked up', async () => {
      const acme = await acmeWith();
      const answer = await acme.run('nowhere', {
        artifacts: [{ digests: { a: 'x' }, creationTimestamp: 1.5 }, { digests: [] }, 7],
      });
      expect(answer.status).toBe(400);
      expect(Object.keys((answer.json as { errors: object }).errors).sort()).toEqual([
        'artifacts[0].creationTimestamp',
        'artifacts[0].digests.a',
        'artifacts[1].creationTimestamp',
        'artifacts[1].digests',
        'artifacts[2]',
      ]);
      for (const json of [null, [], {}, { artifacts: {} }]) {
        expect((await acme.run('prod', json)).status).toBe(400);
      }
      expect((await acme.head('prod')).index).toBe(0);
    });
  });
});
