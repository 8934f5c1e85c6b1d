import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sealSnapshot } from '#shared/environments/seal-snapshot.ts';
import { artifactKey } from '#shared/evidence/records/keys.ts';
import { LARGEST_ANSWER } from '#shared/http/answers.ts';
import { resealed } from '#test/support/copies/resealed.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, type SnapshotJson, snapshotsApi } from './snapshots-api.ts';

const api = await snapshotsApi();
const ARTIFACTS = 10_000;

/** An environment with very many artifacts, each with its own report, under two policies. */
async function crowded() {
  const acme = await readingOrganization(api);
  const { table } = api.services;
  await acme.putPolicy('known', policyText('provenance: {required: true}'));
  await acme.putPolicy('tested', policyText('attestations: [{type: junit, name: unit}]'));
  await acme.putEnvironment('prod', 'server', { policies: ['known', 'tested'] });
  await acme.report(anArtifact('app'));
  await acme.run('prod', onServer({ app: 'app' }));
  const { rows, policies } = await acme.content('prod');
  const [row] = rows;
  const [flow] = row?.flows ?? [];
  const report = flow && (await table.get(artifactKey(acme.id, flow.report)));
  if (!row || !report) throw new Error('nothing to copy');
  const numbers = Array.from({ length: ARTIFACTS }, (_, i) => i);
  const idOf = (i: number) => `00000000-0000-0000-0000-${i.toString(16).padStart(8, '0')}`;
  // The copies get commitments and hashes that fit, because readers check them.
  await table.putMany(
    resealed(
      numbers.map((i) => ({
        ...report,
        ...artifactKey(acme.id, idOf(i)),
        id: idOf(i),
        fingerprint: fingerprintOf(`${i}`),
      })),
    ),
  );
  const content = {
    rows: numbers.map((i) => ({
      ...row,
      name: `registry.example/app-${i}:1.0`,
      fingerprint: fingerprintOf(`${i}`),
      flows: row.flows.map((place) => ({ ...place, report: idOf(i) })),
    })),
    policies,
  };
  const draft = { content, state: false, compliant: false, events: 0, digest: 'other', freshUntil: null };
  const head = await acme.head('prod');
  const sealed = sealSnapshot(api.services, { id: acme.id }, head, draft, () => 'again' as const);
  await sealed.upload();
  expect(await table.transact(sealed.writes)).toBe('done');
  return acme;
}

it('answers a snapshot of ten thousand artifacts with gzip, and 406 to callers that do not accept gzip', async () => {
  const acme = await crowded();
  const path = `/snapshots/${acme.org}/prod/-1`;
  const packed = await acme.call('GET', path, { headers: { 'accept-encoding': 'gzip' } });
  const { aws_sequential: trips } = api.entries.at(-1) as unknown as Record<string, number>;
  expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(packed.text.length).toBeLessThan(LARGEST_ANSWER);
  const snapshot = JSON.parse(gunzipSync(Buffer.from(packed.text, 'base64')).toString()) as SnapshotJson;
  expect(snapshot.artifacts).toHaveLength(ARTIFACTS);
  expect(snapshot.artifacts.at(-1)).toMatchObject({
    flow_name: 'web',
    flows: [{ git_commit_info: { branch: 'main' } }],
  });
  // The head and the item, the bucket, the reports, for any number of artifacts.
  expect(trips).toBeLessThanOrEqual(4);
  const plain = await acme.call('GET', path);
  expect(plain.status).toBe(406);
  expect(plain.json).toMatchObject({ message: expect.stringContaining('gzip') });

  const rows = await acme.call('GET', `${path}/artifacts`, { headers: { 'accept-encoding': 'gzip' } });
  const { aws_sequential: rowTrips } = api.entries.at(-1) as unknown as Record<string, number>;
  const text = gunzipSync(Buffer.from(rows.text, 'base64')).toString();
  expect(JSON.parse(text)).toMatchObject({ total_count: ARTIFACTS, artifacts: { length: ARTIFACTS } });
  // A page in a browser reads them at once.
  expect(text.length).toBeLessThan(5_000_000);
  expect(rowTrips).toBeLessThanOrEqual(3);
  const page = await acme.get(`${path}/artifacts`, 'per_page=100&page=3');
  expect(page.json).toMatchObject({ total_count: ARTIFACTS, artifacts: { length: 100 } });
  console.log(`10,000 rows in short: ${text.length} bytes, ${rows.text.length} packed`);
});
