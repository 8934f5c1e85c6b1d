import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { momentPartition, trailPartition } from '#shared/evidence/records/keys.ts';
import { momentEntry } from '#shared/evidence/records/moments.ts';
import { COPIED_EVERY, copiesAbove } from '#shared/log/checkpoint-copies.ts';
import { GuardedLogs } from '#shared/log/guarded-logs.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { logPartition, trailClaimPartition } from '#shared/log/records/keys.ts';
import { replayedBatchWrite } from '#shared/log/records/log-batches.ts';
import { readCheckpoint, readHead } from '#shared/log/records/log-state.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { formatCheckpoint, parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote, parseNote } from '#shared/tlog/notes.ts';
import { consistencyProof, verifyConsistency } from '#shared/tlog/proofs.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { encodeBundle } from '#shared/tlog/tiles.ts';
import { movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { uniqueName } from '#test/support/directory.ts';
import { testName, testPartition } from '#test/support/ids.ts';
import { flipped } from '#test/support/log/flipped.ts';
import {
  checkedEntries,
  integratorOf,
  LOG_KEY,
  logOrigin,
  operatorServices,
  trailEntries,
} from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';
import { allMoments, attest, testObjects, trailWriter } from '#test/support/trails.ts';

const table = await testTable();
const objects = testObjects();
const clock = movableClock();
const { services, integrate } = integratorOf(table, { clock });

/** An integrator in a new container, after a restore. */
const restarted = () => integratorOf(table, { clock, guarded: new GuardedLogs() });

async function newOrganization(): Promise<{ id: OrganizationId; name: string }> {
  const name = uniqueName('org');
  const { record } = await new Directory(table).createOrganization({
    id: newId(clock.now()),
    name,
    kind: 'shared',
    features: [],
    createdAt: clock.now(),
  });
  return { id: record.id, name };
}

const recover = (organization: string) =>
  heldTo('operator', OPERATOR_USES, () =>
    runOperator({ ...operatorServices(table), clock }, { command: 'recover-log', organization }),
  );

/** The items of a log with its claims for one trail. */
const itemsOf = async (partitions: readonly PartitionKey[]): Promise<Item[]> =>
  (await Promise.all(partitions.map((pk) => table.query({ pk })))).flat();

/** Puts partitions back to what they were. */
async function restore(partitions: readonly PartitionKey[], before: readonly Item[]): Promise<void> {
  const kept = new Set(before.map(({ pk, sk }) => `${pk} ${sk}`));
  const added = (await itemsOf(partitions)).filter(({ pk, sk }) => !kept.has(`${pk} ${sk}`));
  for (const batch of batchesOf(added, 100))
    await table.transact(batch.map(({ pk, sk }) => ({ remove: keyIn(pk, sk) })));
  await table.putMany([...before]);
}

const partitionsOf = (org: OrganizationId, entry: Buffer): PartitionKey[] => {
  const { flow, trail } = JSON.parse(entry.toString('latin1').slice(entry.indexOf('{', 34, 'latin1'))).subject;
  return [logPartition(org), trailClaimPartition(org, flow, trail)];
};

describe('a log in a restored table', () => {
  it('is neither appended to nor signed until recover-log brought back its entries', async () => {
    const { id: org, name } = await newOrganization();
    const entries = trailEntries(org, 'long', 700);
    await integrate(org, entries.slice(0, 100));
    const partitions = partitionsOf(org, entries[0] as Buffer);
    const before = await itemsOf(partitions);
    for (const size of [260, 300, 580, 590]) {
      clock.advance(COPIED_EVERY);
      await integrate(org, entries.slice((await readHead(table, org))?.range.size, size));
    }
    const published = parseCheckpoint(parseNote((await readCheckpoint(table, org))?.note ?? '').text);
    expect(await copiesAbove(objects, org, 0)).toEqual([100, 260, 300, 580, 590]);

    await restore(partitions, before);
    expect((await readHead(table, org))?.range.size).toBe(100);
    const own = restarted();
    expect(await own.integrate(org, trailEntries(org, 'next', 1))).toBe(1);
    expect(await own.work([publishMessage(org).body])).toBe(1);
    expect(own.logged.map(({ facts }) => facts['error'])).toEqual(['LogBehind', 'LogBehind']);
    expect((await readHead(table, org))?.range.size).toBe(100);

    expect(await recover(name)).toMatchObject({ ok: true, entries_before: 100, entries: 590, gone_records: 490 });
    expect(await recover(name)).toMatchObject({ ok: true, entries_before: 590, entries: 590, gone_records: 0 });
    clock.advance(COPIED_EVERY);
    expect(await own.work([publishMessage(org).body])).toBe(0);
    expect(await own.integrate(org, entries.slice(590))).toBe(0);
    expect(await checkedEntries(services, org)).toEqual(entries);
    const now = parseCheckpoint(parseNote((await readCheckpoint(table, org))?.note ?? '').text);
    const { hashes } = logTiles(services, org, now.size);
    const proof = await consistencyProof(published.size, { size: now.size, readTile: hashes });
    expect(verifyConsistency(published, now, proof)).toBe(true);
  });

  it('names the records that are gone, and keeps their trail forked', async () => {
    const { id: org, name } = await newOrganization();
    const writer = trailWriter(table, org, clock);
    const report = (scan: string) => attest(writer, { flow: 'web', trail: 'run' }, { name: scan });
    await report('one');
    const [flowItem] = await table.query({ pk: testPartition(`${org}#FLOWNAME#web`) });
    const flow = String(flowItem?.['flow']) as never;
    const read = async () => {
      const moments = await allMoments(table, org, flow, testName('run'));
      const trails = new Map(moments.map((moment) => [moment.trail, moment.name]));
      return { entries: moments.map((moment) => momentEntry(org, moment)), trails, moments };
    };
    const first = await read();
    await integrate(org, first.entries, first.trails);
    const records = [momentPartition(org, flow, testName('run')), trailPartition(org, flow, testName('run'))];
    const partitions = [...partitionsOf(org, first.entries[0] as Buffer), ...records];
    const before = await itemsOf(partitions);
    await report('two');
    clock.advance(COPIED_EVERY);
    const second = await read();
    await integrate(org, second.entries, second.trails);

    await restore(partitions, before);
    const number = second.moments.length;
    expect(await recover(name)).toMatchObject({
      ok: true,
      gone: [{ kind: 'trail', trail: second.moments[0]?.trail, trail_name: 'run', number }],
    });
    await report('other');
    const forked = await read();
    const own = restarted();
    expect(await own.integrate(org, forked.entries, forked.trails)).toBe(0);
    expect(own.logged).toMatchObject([
      { message: 'An entry differs from the one that the log has for its subject', facts: { number } },
    ]);
    expect(await checkedEntries(services, org)).toEqual(second.entries);
  });

  it.each([
    ['HEAD', ['HEAD'], (item: Item) => ({ ...item, hashes: flipped(item['hashes']) })],
    ['HEAD', ['HEAD'], (item: Item) => ({ ...item, size: 302 })],
    ['HEAD', ['HEAD'], (item: Item) => ({ ...item, tiled: 0 })],
    ['CHECKPOINT', ['CHECKPOINT'], (item: Item) => ({ ...item, hashes: flipped(item['hashes']) })],
    ['CHECKPOINT', ['CHECKPOINT'], (item: Item) => ({ ...item, note: String(item['note']).replace(/[a-y]/, 'z') })],
  ])('is published again after its changed %s was mended', async (sk, mended, how) => {
    const { id: org, name } = await newOrganization();
    const entries = trailEntries(org, 'mended', 304);
    await integrate(org, entries.slice(0, 290));
    const published = parseCheckpoint(parseNote((await readCheckpoint(table, org))?.note ?? '').text);
    const paced = integratorOf(table, { clock, checkpointEvery: CHECKPOINT_EVERY });
    await paced.integrate(org, entries.slice(290, 301));
    const key = keyIn(logPartition(org), sk);
    await table.put(how((await table.get(key)) as Item));
    const own = restarted();
    expect(await own.integrate(org, entries.slice(301))).toBe(1);
    expect(own.logged).toMatchObject([{ facts: { error: 'LogDiffers' } }]);

    expect(await recover(name)).toMatchObject({ ok: true, mended, entries: 301, gone_records: 0 });
    expect(await recover(name)).toMatchObject({ ok: true, mended: [] });
    expect(await own.integrate(org, entries.slice(301))).toBe(0);
    expect(await checkedEntries(services, org)).toEqual(entries);
    const now = parseCheckpoint(parseNote((await readCheckpoint(table, org))?.note ?? '').text);
    const { hashes } = logTiles(services, org, now.size);
    const proof = await consistencyProof(published.size, { size: now.size, readTile: hashes });
    expect(verifyConsistency(published, now, proof)).toBe(true);
  });

  it('comes back also if it was restored to the time before its first checkpoint', async () => {
    const { id: org, name } = await newOrganization();
    const entries = trailEntries(org, 'early', 4);
    await integrate(org, entries.slice(0, 2));
    const partitions = partitionsOf(org, entries[0] as Buffer);
    const before = (await itemsOf(partitions)).filter(({ sk }) => sk !== 'CHECKPOINT');
    clock.advance(COPIED_EVERY);
    await integrate(org, entries);
    await restore(partitions, before);
    expect(await recover(name)).toMatchObject({ ok: true, mended: [], entries_before: 2, entries: 4 });
    expect(await restarted().work([publishMessage(org).body])).toBe(0);
    expect(await checkedEntries(services, org)).toEqual(entries);
  });

  it('is not mended with an entry that was changed before it was published', async () => {
    const { id: org, name } = await newOrganization();
    const entries = trailEntries(org, 'changed', 4);
    await integrate(org, entries.slice(0, 2));
    const paced = integratorOf(table, { clock, checkpointEvery: CHECKPOINT_EVERY });
    await paced.integrate(org, entries.slice(2, 3));
    const head = await readHead(table, org);
    const other = trailEntries(org, 'other', 1);
    await table.transact([replayedBatchWrite(org, 2, other)]);
    expect(await recover(name)).toMatchObject({ ok: false, message: expect.stringContaining('entry 2 of the table') });
    expect(await readHead(table, org)).toEqual(head);
  });

  it('is not recovered from entries that do not lead to the signed checkpoint', async () => {
    const { id: org, name } = await newOrganization();
    const entries = trailEntries(org, 'kept', 4);
    await integrate(org, entries.slice(0, 2));
    const text = formatCheckpoint({ origin: logOrigin(org), size: 4, root: Buffer.alloc(32) });
    const note = formatNote(await signNote(text, [logSigner(logOrigin(org), LOG_KEY)]));
    const copy = encodeBundle([Buffer.from(note), ...entries.slice(2)]);
    await objects.putLogObject(org, 'checkpoints/0000000004', copy);
    expect(await recover(name)).toEqual({
      ok: false,
      message: 'The entries in the bucket do not have the root of the published checkpoint 4',
    });
    expect((await readHead(table, org))?.range.size).toBe(2);
  });
});
