import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { AttestationId } from '#shared/base/ids.ts';
import { componentSetKey } from '#shared/components/records/keys.ts';
import { readPostings } from '#shared/components/records/postings.ts';
import { readSbomsOf, type Sbom } from '#shared/components/records/sboms.ts';
import { readBuilds, readComponentsOf, readSet } from '#shared/components/records/sets.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { change } from '#shared/table/expressions.ts';
import { bundlesApi, signingOrganization, text } from '#test/functions/attestations/bundles-api.ts';
import { SHA256, statement } from '#test/shared/signatures/sample-bundles.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { npm, reportFiles, reportSbom, sbomOf, tarOf } from '#test/support/records/reported-sboms.ts';
import { cycloneDxXml, SPDX_JSON, SPDX_TAGS } from '#test/support/records/sboms.ts';
import { itemsOf, relayOf } from '#test/support/relay.ts';
import { killedAtWrite, tableAround } from '#test/support/table/faults.ts';
import { countingTable } from '#test/support/table/units.ts';
import { DONE, OVER, worker } from './worker.ts';

const api = await bundlesApi();
const { table } = api.services;
const { work, messageFor } = worker(api.services);

async function sbomsOf(acme: EvidenceOfOrganization, trail = 'run'): Promise<Sbom[]> {
  const flow = await findFlow(table, acme.id, testName('web'));
  const [sboms = []] = await readSbomsOf(table, acme.id, [{ flow: flow?.id ?? never(), trail: testName(trail) }]);
  return sboms;
}
const never = (): never => {
  throw new Error('The flow exists');
};

const foundOf = async (acme: EvidenceOfOrganization, id: AttestationId) =>
  (await readAttestationComponents(table, acme.id, [id])).get(id);

/** The sets that hold a package of npm. */
const setsWith = async (acme: EvidenceOfOrganization, name: string) => {
  const { postings } = await readPostings(table, acme.id, { package: `pkg:npm/${name}`, name }, { limit: 100 });
  return postings.map(({ set }) => set);
};

/** Everything that the index holds of an organization, without salts and times, which differ from one run to the next. */
const indexOf = async (acme: EvidenceOfOrganization) =>
  (await itemsOf(table.name, acme.id))
    .filter(({ pk }) => /#(?:COMPONENT|COMPONENTSET|SBOM)#/.test(pk))
    .map(({ body: _, ...item }) => item);

describe('the relay and the expander', () => {
  it('the components of a reported SBOM are in the index, with what it is about', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const id = await reportSbom(acme, sbomOf(npm('a', '1.0.0'), npm('b', '2.0.0'), { name: 'g/plain', version: '3' }));
    await relay.settle();
    const [sbom] = await sbomsOf(acme);
    expect(sbom).toMatchObject({
      id,
      name: 'sbom',
      type: 'sbom',
      scopes: [{ kind: 'trail' }],
      state: 'read',
      why: null,
      count: 3,
      format: 'cyclonedx-1.6',
    });
    const set = sbom?.set ?? '';
    expect(await foundOf(acme, id)).toEqual({ state: 'read', set, count: 3, why: null, format: 'cyclonedx-1.6' });
    const stored = await readSet(table, acme.id, set);
    expect(stored).toMatchObject({ count: 3, at: sbom?.at });
    expect((stored && (await readComponentsOf(api.services, acme.id, stored)))?.map(({ name }) => name)).toEqual([
      'a',
      'b',
      'g/plain',
    ]);
    expect((await readBuilds(table, acme.id, set, { limit: 5 })).builds).toEqual([sbom]);
    const { postings } = await readPostings(table, acme.id, { package: 'pkg:npm/b', name: 'b' }, { limit: 5 });
    expect(postings).toMatchObject([{ set, versions: [{ version: '2.0.0', qualifiers: null, count: 1 }] }]);
    const plain = await readPostings(table, acme.id, { package: null, name: 'plain' }, { limit: 5 });
    expect(plain.postings).toMatchObject([{ set, versions: [{ version: '3' }] }]);
  });

  it('SBOMs in bundles are in the index, with what recalls compare', async () => {
    const acme = await signingOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const predicate = JSON.parse(sbomOf(npm('signed', '1.0.0')));
    const payload = JSON.stringify(statement({ predicateType: 'https://cyclonedx.org/bom', predicate }));
    const { status, text: body } = await acme.send(text({ payload }));
    expect(status, body).toBe(201);
    await relay.settle();
    const [sbom] = await sbomsOf(acme);
    expect(sbom).toMatchObject({
      type: 'sbom',
      scopes: [{ kind: 'fingerprint', fingerprint: SHA256 }],
      state: 'read',
      proof: { grade: 'logged', signer: { name: 'ci' }, signature: { root: { name: 'own' } } },
    });
    expect(await setsWith(acme, 'signed')).toEqual([sbom?.set]);
  });

  it('files of other attestations are read if their names and their beginnings are those of SBOMs', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const one = sbomOf(npm('one', '1.0.0'));
    const tar = await tarOf({ 'out/bom.json': one, 'out/tags.spdx': SPDX_TAGS, 'notes.txt': sbomOf() });
    const archive = gzipSync(tar);
    const cases: [string, Record<string, string | Uint8Array<ArrayBuffer>>, object][] = [
      ['json', { 'bom.json': one, 'readme.txt': one }, { state: 'read', format: 'cyclonedx-1.6', count: 1 }],
      ['xml', { 'bom.xml': cycloneDxXml('1.5') }, { state: 'read', format: 'cyclonedx-1.5' }],
      ['spdx', { 'a.spdx.json': SPDX_JSON, 'b.json': '{"results": []}' }, { state: 'read', format: 'spdx-2.3' }],
      ['archive', { 'evidence.tgz': archive }, { state: 'read', format: 'cyclonedx-1.6, spdx-2.3', count: 2 }],
      ['packed', { 'bom.json.tgz': gzipSync(one) }, { state: 'read', count: 1 }],
      ['other', { 'results.json': '{"bom": true}', 'x.tgz': gzipSync('no tar') }, { state: 'none', count: null }],
      ['damaged', { 'x.tgz': Buffer.from('\u001f\u008bbroken', 'latin1') }, { state: 'none' }],
      ['cut', { 'x.tgz': gzipSync(tar.subarray(0, 700)) }, { state: 'none' }],
      ['empty', { 'bom.json': '' }, { state: 'none' }],
    ];
    for (const [name, files, expected] of cases) {
      const id = await reportFiles(acme, files, { name });
      await relay.settle();
      expect(await foundOf(acme, id), name).toMatchObject(expected);
    }
    const without = await reportFiles(acme, { 'readme.txt': one }, { name: 'without' });
    await relay.settle();
    expect(await foundOf(acme, without)).toBeUndefined();
    expect((await sbomsOf(acme)).map(({ name }) => name)).toEqual(['json', 'xml', 'spdx', 'archive', 'packed']);
  });

  it('an SBOM that cannot be read says why, and has no set', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const id = await reportSbom(acme, 'no SBOM at all');
    await relay.settle();
    const why = expect.stringMatching(/^The file is neither CycloneDX nor SPDX/);
    expect(await foundOf(acme, id)).toEqual({ state: 'unreadable', set: null, count: null, why, format: null });
    expect(await sbomsOf(acme)).toMatchObject([{ id, state: 'unreadable', set: null, why }]);
  });

  it('attestations with the same components share a set, also if their files differ', async () => {
    const acme = await newOrganization(api);
    const relay = relayOf(api.services, acme.id);
    const ids = [
      await reportSbom(acme, sbomOf(npm('x', '1.0.0'), npm('y', '1.0.0'))),
      await reportSbom(acme, sbomOf(npm('y', '1.0.0'), npm('x', '1.0.0')), { trail: 'next' }),
      await reportSbom(acme, sbomOf(npm('x', '1.0.0'), npm('y', '1.0.1')), { trail: 'next' }),
    ];
    await relay.settle();
    const sets = await Promise.all(ids.map(async (id) => (await foundOf(acme, id))?.set ?? ''));
    expect([sets[0] === sets[1], sets[0] === sets[2]]).toEqual([true, false]);
    expect((await readBuilds(table, acme.id, sets[0] ?? '', { limit: 5 })).builds.map(({ id }) => id)).toEqual(
      ids.slice(0, 2),
    );
    expect((await setsWith(acme, 'x')).toSorted()).toEqual([sets[0], sets[2]].toSorted());
  });
});

describe('the answer about an attestation', () => {
  const shownOf = async (acme: EvidenceOfOrganization, id: AttestationId) => {
    const { json } = await acme.get(`/attestations/${acme.org}`, `attestation_id=${id}`);
    const [found] = (json as { data: Record<string, unknown>[] }).data;
    const [named] = (await acme.named(String(found?.['attestation_name']))).filter(
      (one) => one['attestation_id'] === id,
    );
    expect(named?.['components']).toEqual(found?.['components']);
    return found?.['components'];
  };

  it('says whether the components of its SBOM are known, and nothing without an SBOM', async () => {
    const acme = await newOrganization(api);
    const read = await reportSbom(acme, sbomOf(npm('a', '1.0.0')));
    const broken = await reportSbom(acme, '{', { name: 'broken' });
    const other = await reportFiles(acme, { 'results.json': '{}' }, { name: 'other' });
    const plain = await reportFiles(acme, { 'results.txt': '{}' }, { name: 'plain' });
    const pending = { state: 'pending', count: null, format: null, why: null };
    const shown = async () => [
      await shownOf(acme, read),
      await shownOf(acme, broken),
      await shownOf(acme, other),
      await shownOf(acme, plain),
    ];
    expect(await shown()).toEqual([pending, pending, pending, undefined]);
    for (const id of [read, broken, other, plain]) await work(messageFor(acme, id));
    expect(await shown()).toEqual([
      { state: 'read', count: 1, format: 'cyclonedx-1.6', why: null },
      { state: 'unreadable', count: null, format: null, why: expect.any(String) },
      undefined,
      undefined,
    ]);
  });
});

describe('a message about components', () => {
  it('is done once: the second time reads and writes nothing more', async () => {
    const acme = await newOrganization(api);
    const id = await reportSbom(acme, sbomOf(npm('a', '1.0.0')));
    expect((await work(messageFor(acme, id))).answer).toEqual(DONE);
    const before = await indexOf(acme);
    const { table: counting, units } = countingTable(table);
    expect(await work(messageFor(acme, id), { table: counting })).toEqual({ answer: DONE, sent: [] });
    expect([units.write, await indexOf(acme)]).toEqual([0, before]);
  });

  it('costs three write units for a set that is stored, and little more than one per component for a new one', async () => {
    const acme = await newOrganization(api);
    const components = Array.from({ length: 200 }, (_, i) => npm(`package-${i}`, `1.${i}.0`));
    const cost = async (trail: string, ...more: ReturnType<typeof npm>[]) => {
      const id = await reportSbom(acme, sbomOf(...components, ...more), { trail });
      const { table: counting, units } = countingTable(table);
      expect((await work(messageFor(acme, id), { table: counting })).answer).toEqual(DONE);
      return units.write;
    };
    expect(await cost('one')).toBeLessThanOrEqual(220);
    expect(await cost('two')).toBe(3);
  });

  it('is continued from its place if the time is over, and the index is complete only at the end', async () => {
    const acme = await newOrganization(api);
    const components = Array.from({ length: 1_200 }, (_, i) => npm(`large-${i}`, '1.0.0'));
    const id = await reportSbom(acme, sbomOf(...components));
    const places = [];
    let message: unknown = messageFor(acme, id);
    for (let calls = 0; calls < 5 && message !== undefined; calls += 1) {
      expect(await foundOf(acme, id)).toBeUndefined();
      const { answer, sent } = await work(message, { times: OVER });
      expect(answer).toEqual(DONE);
      message = sent[0]?.message;
      places.push(sent.map(({ message: next }) => ('place' in next ? next.place : null)));
    }
    const set = (await foundOf(acme, id))?.set ?? '';
    expect(places).toEqual([[{ set, done: 500 }], [{ set, done: 1_000 }], []]);
    const found = await Promise.all(['large-0', 'large-700', 'large-1199'].map((name) => setsWith(acme, name)));
    expect(found).toEqual([[set], [set], [set]]);
  });

  it('a worker that is killed at any write leaves an index that the next one completes', async () => {
    const [acme, same] = [await newOrganization(api), await newOrganization(api)];
    const components = Array.from({ length: 60 }, (_, i) => npm(`killed-${i}`, '1.0.0'));
    const ids = [];
    for (const one of [acme, same]) ids.push(await reportSbom(one, sbomOf(...components)));
    const [id, undisturbed] = [ids[0] ?? never(), ids[1] ?? never()];
    await work(messageFor(same, undisturbed));
    let failures = 0;
    for (let at = 1; at < 30; at += 1) {
      const { answer } = await work(messageFor(acme, id), { table: killedAtWrite(table, at) });
      if (answer.batchItemFailures.length === 0) break;
      failures += 1;
      const found = await foundOf(acme, id);
      // A reader that finds a build finds all its postings.
      for (const sbom of await sbomsOf(acme)) expect(await setsWith(acme, 'killed-59')).toEqual([sbom.set]);
      if (found) break;
    }
    expect(failures).toBeGreaterThan(3);
    expect((await work(messageFor(acme, id))).answer).toEqual(DONE);
    const keysOf = async (one: EvidenceOfOrganization, attestation: AttestationId) => {
      const flow = (await findFlow(table, one.id, testName('web')))?.id ?? never();
      const items = await indexOf(one);
      return items.map(({ pk, sk }) =>
        `${pk} ${sk}`.replaceAll(one.id, 'org').replaceAll(attestation, 'id').replaceAll(flow, 'flow'),
      );
    };
    expect((await keysOf(acme, id)).toSorted()).toEqual((await keysOf(same, undisturbed)).toSorted());
  });

  it('two workers at once make the same index', async () => {
    const acme = await newOrganization(api);
    const components = Array.from({ length: 60 }, (_, i) => npm(`twice-${i}`, '1.0.0'));
    const id = await reportSbom(acme, sbomOf(...components));
    let overtaken = false;
    const slow = tableAround(table, async ({ command }, send) => {
      if (command === 'TransactWrite' && !overtaken) {
        overtaken = true;
        expect((await work(messageFor(acme, id))).answer).toEqual(DONE);
      }
      return send();
    });
    expect((await work(messageFor(acme, id), { table: slow })).answer).toEqual(DONE);
    expect(overtaken).toBe(true);
    expect((await sbomsOf(acme)).map(({ state }) => state)).toEqual(['read']);
    expect(await setsWith(acme, 'twice-7')).toHaveLength(1);
  });

  it('waits while an erasure forgets the set', async () => {
    const acme = await newOrganization(api);
    const file = sbomOf(npm('leaving', '1.0.0'));
    await work(messageFor(acme, await reportSbom(acme, file)));
    const [first] = await sbomsOf(acme);
    const key = componentSetKey(acme.id, first?.set ?? '');
    await table.update(key, change({ set: { leaving: api.services.clock.now() } }));
    const id = await reportSbom(acme, file, { trail: 'next' });
    const message = messageFor(acme, id);
    const { answer, sent } = await work(message);
    expect([answer, sent]).toEqual([DONE, [{ message, group: acme.id, delaySeconds: 60 }]]);
    expect(await foundOf(acme, id)).toBeUndefined();
    await table.update(key, change({ remove: ['leaving'] }));
    expect(await work(message)).toEqual({ answer: DONE, sent: [] });
    expect(await foundOf(acme, id)).toMatchObject({ state: 'read', set: first?.set });
  });

  it('an attestation that there is not, or that has no SBOM, is skipped', async () => {
    const acme = await newOrganization(api);
    const plain = await reportFiles(acme, { 'a.txt': 'text' });
    const nothing = plain.replace(/^./, 'f') as AttestationId;
    for (const id of [plain, nothing]) expect(await work(messageFor(acme, id))).toEqual({ answer: DONE, sent: [] });
    expect(await indexOf(acme)).toEqual([]);
  });
});
