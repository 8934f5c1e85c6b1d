import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { AttestationId, Fingerprint } from '#shared/base/ids.ts';
import { readVexOf, type VexItem } from '#shared/components/records/vex.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { bundlesApi, signingOrganization, text } from '#test/functions/attestations/bundles-api.ts';
import { SHA256, statement } from '#test/shared/signatures/sample-bundles.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { npm, reportFiles, sbomOf, tarOf } from '#test/support/records/reported-sboms.ts';
import { vexDocument, vexFile, vexStatement } from '#test/support/records/reported-vex.ts';
import { itemsOf, relayOf } from '#test/support/relay.ts';
import { killedAtWrite } from '#test/support/table/faults.ts';
import { DONE, OVER, worker } from './worker.ts';

/** Statements of OpenVEX in the index (rules/components.md#said-not-to-be-affected). */

const api = await bundlesApi();
const { table } = api.services;
const { work, messageFor } = worker(api.services);

/** The artifact of the samples. */
const FINGERPRINT = SHA256 as Fingerprint;

const stateOf = async (acme: EvidenceOfOrganization, id: AttestationId) =>
  (await readAttestationComponents(table, acme.id, [id])).get(id)?.vex;

const answerOf = async (acme: EvidenceOfOrganization, id: AttestationId) => {
  const { json } = await acme.get(`/attestations/${acme.org}`, `attestation_id=${id}`);
  return (json as { data: Record<string, unknown>[] }).data[0]?.['vex'];
};

/** What the index has of lodash in the artifact of the samples, and in the artifacts of the trail. */
async function found(acme: EvidenceOfOrganization, vulnerability: string | null = null): Promise<VexItem[]> {
  const flow = await findFlow(table, acme.id, testName('web'));
  const trails = flow ? [{ flow: flow.id, trail: testName<VexItem['trail']>('run') }] : [];
  const asked = { package: 'pkg:npm/lodash', vulnerability };
  const { artifacts, trails: ofTrails } = await readVexOf(
    table,
    acme.id,
    { fingerprints: [FINGERPRINT], trails },
    asked,
  );
  return [...artifacts.values(), ...ofTrails.values()].flat();
}

/** Keys of the statements that the index has of an organization. */
const keysOf = async (acme: EvidenceOfOrganization) =>
  (await itemsOf(table.name, acme.id)).flatMap(({ pk, sk }) => (pk.includes('#VEX#') ? [`${pk} ${sk}`] : []));

const PRODUCT = `app@sha256:${SHA256}`;
const PARTS = Array.from({ length: 100 }, (_, i) => `pkg:npm/p-${i}`);

describe('the relay and the expander', () => {
  it('signed statements are in the index, with what recalls compare', async () => {
    const acme = await signingOrganization(api);
    const predicate = vexDocument(vexStatement(null), vexStatement(null, { part: null }), { status: 'fixed' });
    const payload = JSON.stringify(statement({ predicateType: 'https://openvex.dev/ns/v0.2.0', predicate }));
    const { status, json, text: body } = await acme.send(text({ payload }));
    expect(status, body).toBe(201);
    const [made] = (json as { attestations: { attestation_id: AttestationId }[] }).attestations;
    const id = made?.attestation_id ?? ('' as AttestationId);
    expect(await answerOf(acme, id)).toEqual({ state: 'pending', count: null, left_out: null, why: null });
    await relayOf(api.services, acme.id).settle();
    expect(await answerOf(acme, id)).toEqual({ state: 'read', count: 2, left_out: 1, why: null });
    const item = {
      id,
      grade: 'logged',
      proof: { signer: { name: 'ci' }, signature: { root: { name: 'own' } } },
    };
    expect(await found(acme)).toMatchObject([
      { ...item, entries: [{ status: 'not_affected', part: 'pkg:npm/lodash' }] },
    ]);
    expect(await found(acme, 'cve-2026-0001')).toMatchObject([item, { ...item, entries: [{ part: null }] }]);
  });

  it('attached documents are in the index, also in archives and beside an SBOM', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const one = vexFile(vexStatement(SHA256));
    const sbom = sbomOf(npm('lodash', '4.17.20'));
    const archive = gzipSync(await tarOf({ 'a.json': one, 'b.json': sbom, 'c.txt': one }));
    const cases: [string, Parameters<typeof reportFiles>[1], object | undefined][] = [
      ['plain', { 'vex.json': one, 'readme.txt': one }, { state: 'read', count: 1 }],
      ['archive', { 'evidence.tgz': archive }, { state: 'read', count: 1 }],
      ['several', { 'a.json': one, 'b.json': vexFile(vexStatement(SHA256), vexStatement(SHA256)) }, { count: 3 }],
      ['other', { 'results.json': '{"statements": []}', 'a.xml': one }, undefined],
    ];
    for (const [name, files, expected] of cases) {
      const id = await reportFiles(acme, files, { name });
      await relay.settle();
      const state = await stateOf(acme, id);
      if (expected === undefined) expect([name, state, await answerOf(acme, id)]).toEqual([name, undefined, undefined]);
      else expect([name, state]).toMatchObject([name, expected]);
    }
    const items = await found(acme);
    expect(items.map(({ grade, by, entries }) => [grade, typeof by, entries.length])).toEqual([
      ['stated', 'string', 1],
      ['stated', 'string', 1],
      ['stated', 'string', 3],
    ]);
  });

  it('a statement without products is about the artifacts of the trail', async () => {
    const acme = await newOrganization(api);
    await reportFiles(acme, { 'vex.json': vexFile(vexStatement(null)) });
    await relayOf(api.services, acme.id).settle();
    expect(await found(acme)).toMatchObject([{ scopes: [{ kind: 'trail' }], entries: [{ part: 'pkg:npm/lodash' }] }]);
  });

  it.each([
    ['of an unknown version', { '@context': 'https://openvex.dev/ns/v1.0.0', statements: [] }, /v1\.0\.0/],
    ['without statements', { '@context': 'https://openvex.dev/ns/v0.2.0' }, /no list of statements/],
    [
      'that says too much',
      vexDocument({
        ...vexStatement(null),
        products: Array.from({ length: 101 }, () => PRODUCT),
        subcomponents: PARTS,
      }),
      /more than 10000 things/,
    ],
  ])('a document %s says why it cannot be read, and nothing of it counts', async (_, content, why) => {
    const acme = await newOrganization(api);
    const good = vexFile(vexStatement(SHA256));
    const id = await reportFiles(acme, { 'good.json': good, 'vex.json': JSON.stringify(content) });
    expect((await work(messageFor(acme, id))).answer).toEqual(DONE);
    expect(await answerOf(acme, id)).toMatchObject({
      state: 'unreadable',
      count: null,
      why: expect.stringMatching(why),
    });
    expect(await keysOf(acme)).toEqual([]);
  });
});

describe('a message about statements', () => {
  it('is continued from its place if the time is over, and writes the same as an undisturbed one', async () => {
    const acme = await newOrganization(api);
    const all = Array.from({ length: 1_200 }, (_, i) => vexStatement(SHA256, { part: `pkg:npm/p-${i}` }));
    const id = await reportFiles(acme, { 'vex.json': vexFile(...all) });
    const places = [];
    let message: unknown = messageFor(acme, id);
    for (let calls = 0; calls < 5 && message !== undefined; calls += 1) {
      expect(await stateOf(acme, id)).toBeUndefined();
      const { answer, sent } = await work(message, { times: OVER });
      expect(answer).toEqual(DONE);
      message = sent[0]?.message;
      places.push(sent.map(({ message: next }) => ('place' in next ? next.place : null)));
    }
    expect(places).toEqual([[{ set: 'vex', done: 500 }], [{ set: 'vex', done: 1_000 }], []]);
    expect(await stateOf(acme, id)).toMatchObject({ state: 'read', count: 1_200 });
    // The statements, and three items that say where they are.
    expect(await keysOf(acme)).toHaveLength(1_203);
  });

  it('can be done again after a worker that was killed at any write', async () => {
    const acme = await newOrganization(api);
    const all = Array.from({ length: 60 }, (_, i) => vexStatement(SHA256, { part: `pkg:npm/p-${i}` }));
    const id = await reportFiles(acme, { 'vex.json': vexFile(...all) });
    let failures = 0;
    for (let at = 1; at < 30; at += 1) {
      const { answer } = await work(messageFor(acme, id), { table: killedAtWrite(table, at) });
      if (answer.batchItemFailures.length === 0) break;
      failures += 1;
    }
    expect(failures).toBeGreaterThan(2);
    expect((await work(messageFor(acme, id))).answer).toEqual(DONE);
    expect(await keysOf(acme)).toHaveLength(61);
  });
});
