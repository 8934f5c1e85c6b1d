import { expect, it } from 'vitest';
import { expandMessages } from '#functions/expander/expand-messages.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import type { Table } from '#shared/table/table.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { type EvidenceOfOrganization, newOrganization } from '#test/support/evidence.ts';
import { queueEvent, recordingExpansions, recordingQueue } from '#test/support/queue.ts';
import { npm, reportFiles, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { vexFile, vexStatement } from '#test/support/records/reported-vex.ts';
import { itemsOf } from '#test/support/relay.ts';
import { killedAtWrite, tableAround, unlessKilled } from '#test/support/table/faults.ts';
import { api, clock, erase, found, objects, table } from './erasing.ts';

/** Reads the SBOM of an attestation, as the expander does. */
async function index(acme: EvidenceOfOrganization, attestation: AttestationId, own: Table = table): Promise<void> {
  const { queue: expansions, take } = recordingExpansions();
  const services = { table: own, objects, clock, deliveries: recordingQueue().queue, expansions };
  const message = { work: 'components', org: acme.id, attestation };
  const options = { log: () => {}, lines: () => {} };
  const work = () => expandMessages(queueEvent([message]), services, options);
  expect(await heldTo('expander', EXPANDER_USES, work)).toEqual({ batchItemFailures: [] });
  expect(take()).toEqual([]);
}

/** Enough components for a text in the bucket, with names that nothing else has. */
const secret = (name: string) =>
  sbomOf(...Array.from({ length: 150 }, (_, i) => npm(`${name}-${i}`, sha256Hex(String(i)))));
const FILE = { file: 'attachment_file' };

const stateOf = async (acme: EvidenceOfOrganization, id: AttestationId) =>
  (await readAttestationComponents(table, acme.id, [id])).get(id);

/** Keys of the index of components of an organization. */
const indexed = async (acme: EvidenceOfOrganization) =>
  (await itemsOf(table.name, acme.id)).flatMap(({ pk, sk }) => (/#COMPONENT(?:SET)?#/.test(pk) ? [`${pk} ${sk}`] : []));

const ERASED = { state: 'erased', set: null, count: null, why: null, format: null };

it('an erased file of an SBOM leaves nothing of its components in the table and in the bucket', async () => {
  const acme = await newOrganization(api);
  const id = await reportSbom(acme, secret('acme-secret'));
  await index(acme, id);
  const digest = (await stateOf(acme, id))?.set ?? '';
  expect(await objects.versions('bodies', acme.id, digest)).toHaveLength(1);
  expect((await indexed(acme)).length).toBe(152);
  expect(await erase(acme, { kind: 'attachment', id, ...FILE })).toMatchObject({ ok: true, removed_versions: 2 });
  expect(await stateOf(acme, id)).toEqual(ERASED);
  expect(await indexed(acme)).toEqual([]);
  expect(await found(acme, 'acme-secret')).toEqual([]);
  expect(await objects.versions('bodies', acme.id, digest)).toEqual([]);
});

it('an erased attestation leaves nothing of its components either, and one that was erased before is not read', async () => {
  const acme = await newOrganization(api);
  const id = await reportSbom(acme, sbomOf(npm('read-before', '1.0.0')));
  await index(acme, id);
  await erase(acme, { kind: 'attestation', id });
  expect([await stateOf(acme, id), await indexed(acme)]).toEqual([ERASED, []]);
  const late = await reportSbom(acme, sbomOf(npm('read-late', '1.0.0')), { trail: 'late' });
  await erase(acme, { kind: 'attestation', id: late });
  await index(acme, late);
  expect([await stateOf(acme, late), await indexed(acme)]).toEqual([ERASED, []]);
});

it('a set that another attestation has stays until the last of them is erased', async () => {
  const acme = await newOrganization(api);
  const file = sbomOf(npm('shared', '1.0.0'));
  const ids = [await reportSbom(acme, file), await reportSbom(acme, `${file}\n`, { trail: 'next' })];
  for (const id of ids) await index(acme, id);
  const before = await indexed(acme);
  await erase(acme, { kind: 'attachment', id: ids[0], ...FILE });
  const after = await indexed(acme);
  expect(before.filter((key) => !after.includes(key)).map((key) => key.split(' ')[1])).toEqual([`B#${ids[0]}`]);
  await erase(acme, { kind: 'attachment', id: ids[1], ...FILE });
  expect(await indexed(acme)).toEqual([]);
});

it('another file of an attestation can be erased, and its components stay', async () => {
  const acme = await newOrganization(api);
  const files = { 'bom.json': sbomOf(npm('kept', '1.0.0')), 'notes.txt': 'a name' };
  const id = await reportFiles(acme, files);
  await index(acme, id);
  const before = await indexed(acme);
  await erase(acme, { kind: 'attachment', id, file: 'notes.txt' });
  expect([(await stateOf(acme, id))?.state, await indexed(acme)]).toEqual(['read', before]);
  await erase(acme, { kind: 'attachment', id, file: 'bom.json' });
  expect([(await stateOf(acme, id))?.state, await indexed(acme)]).toEqual(['erased', []]);
});

it('a repeated command finishes an erasure that was killed at any write', async () => {
  const acme = await newOrganization(api);
  const id = await reportSbom(acme, secret('killed'));
  await index(acme, id);
  let failures = 0;
  for (let at = 1; at < 40; at += 1) {
    const services = { ...api.services, table: killedAtWrite(table, at) };
    const ended = await unlessKilled(erase(acme, { kind: 'attachment', id, ...FILE }, services));
    if (ended?.ok) break;
    failures += 1;
  }
  expect(failures).toBeGreaterThan(5);
  expect(await erase(acme, { kind: 'attachment', id, ...FILE })).toMatchObject({ ok: true });
  expect([await stateOf(acme, id), await indexed(acme), await found(acme, 'killed')]).toEqual([ERASED, [], []]);
});

it('an erasure while the worker reads leaves nothing behind', async () => {
  const acme = await newOrganization(api);
  const id = await reportSbom(acme, sbomOf(npm('during', '1.0.0')));
  let erased = false;
  const slow = tableAround(table, async ({ command }, send) => {
    if (command === 'Put' && !erased) {
      erased = true;
      await erase(acme, { kind: 'attachment', id, ...FILE });
    }
    return send();
  });
  await index(acme, id, slow);
  expect(erased).toBe(true);
  expect([await stateOf(acme, id), await indexed(acme)]).toEqual([ERASED, []]);
});

it('an erased file takes its statements with it, also if a worker was killed at any write before or after', async () => {
  const acme = await newOrganization(api);
  const statements = Array.from({ length: 60 }, (_, i) => vexStatement(sha256Hex(String(i)), { part: 'pkg:npm/told' }));
  const vexOf = async (id: AttestationId) => (await stateOf(acme, id))?.vex?.state;
  const stated = async () => (await itemsOf(table.name, acme.id)).filter(({ pk }) => pk.includes('#VEX#')).length;
  for (const [name, at] of [
    ['whole', null],
    ['part', 3],
  ] as const) {
    const id = await reportFiles(acme, { 'vex.json': vexFile(...statements) }, { name });
    const before = index(acme, id, at === null ? table : killedAtWrite(table, at));
    await (at === null ? before : expect(before).rejects.toThrow());
    expect([await vexOf(id), (await stated()) > 0]).toEqual([at === null ? 'read' : undefined, true]);
    await erase(acme, { kind: 'attachment', id, file: 'vex.json' });
    // A worker that was killed is called again.
    if (at !== null) await index(acme, id);
    expect([await vexOf(id), await stated(), await found(acme, 'pkg:npm/told')]).toEqual(['erased', 0, []]);
  }
});
