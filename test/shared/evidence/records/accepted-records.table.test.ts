import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import { readBuild } from '#shared/evidence/records/artifact-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { artifactKey, attestationKey, trailPartition } from '#shared/evidence/records/keys.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { testApi } from '#test/support/api.ts';
import { aCommit, anArtifact, fingerprintOf, newOrganization } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';

const api = await testApi([flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, customAttestationTypesGroup]);
const { table } = api.services;

/** An organization with an attestation that has a file and a result of a rule, and with an artifact. */
async function setup() {
  const acme = await newOrganization(api);
  const type = { name: 'scan', evaluator: { content_type: 'jq', rules: ['.high == 0'] } };
  const created = await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
    form: { fields: { data_json: JSON.stringify(type) } },
  });
  expect(created.status, created.text).toBeLessThan(300);
  await acme.report(anArtifact('cli'));
  const artifact = (await readBuild(table, acme.id, fingerprintOf('cli')))?.artifact ?? '';
  const report = { attestation_name: 'scan', type_name: 'scan', attestation_data: { high: 0 }, is_compliant: true };
  const attested = await acme.attest('custom', report, { files: { attachment_file: 'evidence' } });
  expect(attested.status, attested.text).toBe(201);
  const [record] = await acme.named('scan');
  const id = String(record?.['attestation_id']) as AttestationId;
  return { acme, id, artifact };
}

/** Changes a stored item as somebody would who may write to the table. */
async function change(key: Key, changed: (item: Item) => Record<string, unknown>): Promise<void> {
  const item = await table.get(key);
  if (!item) throw new Error(`There is no item ${key.pk}`);
  await table.put({ ...item, ...changed(item) });
}

const first = (item: Item) => (item['files'] as Record<string, unknown>[])[0];
const OTHER = 'ab'.repeat(32);

describe('a stored attestation', () => {
  it.each<[string, (item: Item) => Record<string, unknown>, RegExp]>([
    ['verdict', () => ({ compliant: false }), /it does not fit its commitment/],
    ['name', () => ({ name: 'other' }), /it does not fit its commitment/],
    ['reporter', () => ({ by: 'eve' }), /it does not fit its commitment/],
    ['list of files', () => ({ files: [] }), /it does not fit its commitment/],
    ['file name', (item) => ({ files: [{ ...first(item), filename: 'other' }] }), /it does not fit its commitment/],
    ['file', (item) => ({ files: [{ ...first(item), sha256: OTHER }] }), /file 0 is not the one that was attached/],
    [
      'file whose commitment is made again',
      (item) => ({ files: [{ ...first(item), sha256: OTHER, commitment: new Uint8Array(32) }] }),
      /it does not fit its commitment/,
    ],
    [
      'file without its salt',
      (item) => ({ files: [{ ...first(item), sha256: OTHER, salt: undefined }] }),
      /file 0 is not the one that was attached/,
    ],
    [
      'version of the custom type',
      (item) => ({ derived: { ...(item['derived'] as object), type_version: 7 } }),
      /it does not fit its commitment/,
    ],
    [
      'result of a rule',
      (item) => ({ derived: { ...(item['derived'] as object), rule_results: [] } }),
      /what rules found does not fit its commitment/,
    ],
    [
      'result of a rule that is gone',
      (item) => ({ derived: { type_version: (item['derived'] as Record<string, unknown>)['type_version'] } }),
      /what rules found does not fit its commitment/,
    ],
    [
      'text of the facts',
      (item) => {
        const facts = item['facts'] as { data: Uint8Array };
        const text = Buffer.from(JSON.stringify({ evidence: {} }));
        return { facts: { ...facts, data: text, enc: 'none', size: text.length } };
      },
      /text of a record differs from what was accepted/,
    ],
  ])('stops its reader if its %s was changed', async (_, changed, fault) => {
    const { acme, id } = await setup();
    await change(attestationKey(acme.id, id), changed);
    const answer = await acme.get(`/attestations/${acme.org}/web/trail/run/scan`);
    expect([answer.status, answer.text]).toEqual([500, expect.stringMatching(fault)]);
  });

  it('gives no address of another file than the one that was attached', async () => {
    const { acme, id } = await setup();
    const path = `/attestations/${acme.org}/${id}/attachments/0`;
    expect((await acme.get(path)).status).toBe(200);
    await change(attestationKey(acme.id, id), (item) => ({ files: [{ ...first(item), sha256: OTHER }] }));
    const answer = await acme.get(path);
    expect([answer.status, answer.text]).toEqual([
      500,
      expect.stringContaining(`The stored attestation ${id} differs`),
    ]);
  });
});

describe('a stored artifact report', () => {
  it.each<[string, (item: Item) => Record<string, unknown>]>([
    ['name', () => ({ name: 'other' })],
    ['commit', () => ({ commit: OTHER })],
    ['fingerprint', () => ({ fingerprint: fingerprintOf('other') })],
    ['reporter', () => ({ by: 'eve' })],
  ])('stops its reader if its %s was changed', async (_, changed) => {
    const { acme, artifact } = await setup();
    const path = `/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`;
    expect((await acme.get(path)).status).toBe(200);
    await change(artifactKey(acme.id, artifact), changed);
    const answer = await acme.get(path);
    expect([answer.status, answer.text]).toEqual([
      500,
      expect.stringContaining(`The stored artifact report ${artifact} differs from what was accepted`),
    ]);
  });
});

describe('a stored trail', () => {
  const FIELDS = { description: 'first', git_commit_info: aCommit() };
  const storedTrail = async () => {
    const acme = await newOrganization(api);
    const { status, text } = await acme.begin(FIELDS);
    expect(status, text).toBe(201);
    const flow = await findFlow(table, acme.id, testName('web'));
    if (!flow) throw new Error('The flow exists');
    const partition = trailPartition(acme.id, flow.id, testName('run'));
    return { acme, items: await table.query({ pk: partition }) };
  };
  const swapped = (item: Item) => {
    const body = item['body'] as { salt: Uint8Array; size: number };
    const text = Buffer.from(JSON.stringify({ description: 'other' }));
    return { body: { ...body, data: text, enc: 'none', size: text.length } };
  };

  it.each<[string, string, (item: Item) => Record<string, unknown>, string]>([
    ['verdict in the head', 'H', () => ({ word: 'NON-COMPLIANT' }), 'The stored head of trail run differs'],
    ['hash in the head', 'H', () => ({ hash: new Uint8Array(32) }), 'The stored head of trail run differs'],
    ['description', 'G', swapped, 'The stored text of a record differs from what was accepted'],
  ])('stops its reader if its %s was changed', async (_, sk, changed, fault) => {
    const { acme, items } = await storedTrail();
    const item = items.find((one) => one.sk === sk);
    if (!item) throw new Error(`The trail has no item ${sk}`);
    expect((await acme.get(`/trails/${acme.org}/web/run`)).status).toBe(200);
    await change(item, changed);
    const answer = await acme.get(`/trails/${acme.org}/web/run`);
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining(fault)]);
  });
});
