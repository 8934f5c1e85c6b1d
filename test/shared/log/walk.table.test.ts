import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import { LOCAL, localClient } from '#infra/local/settings.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { plus } from '#shared/base/time.ts';
import { walkLog } from '#shared/log/checks/walk.ts';
import { checkpointKey, logBatchKey, tileRootKey } from '#shared/log/records/keys.ts';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { readWalk, saveWalk } from '#shared/log/records/walks.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { appendLeaves, EMPTY_RANGE, leafHash } from '#shared/tlog/tree.ts';
import { movableClock } from '#test/support/clock.ts';
import { flipped } from '#test/support/log/flipped.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { countingTable } from '#test/support/table/units.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const clock = movableClock();
const { services, integrate } = integratorOf(table, { clock });
const s3 = new S3Client({ ...localClient(inject('s3')), forcePathStyle: true });

/** A published log of two full bundles and 88 entries behind them. */
async function newLog(): Promise<OrganizationId> {
  const org = newId<OrganizationId>(clock.now());
  await integrate(org, trailEntries(org, 'walked', 600));
  return org;
}

/** Walks over the whole log. @returns the parts that differ */
async function walk(org: OrganizationId, since = clock.now(), isTime = () => true): Promise<unknown[]> {
  const parts: unknown[] = [];
  const log = (_: string, { part }: Record<string, unknown>) => void parts.push(part);
  await walkLog(services, org, { since, log, isTime });
  return parts;
}

async function change(key: Key, how: (item: Item) => Item): Promise<void> {
  const item = await table.get(key);
  if (!item) throw new Error(`There is no item ${key.sk}`);
  await table.put(how(item));
}

/** Replaces an object of the log, as somebody with access to the bucket does. */
async function changeObject(org: OrganizationId, name: string, how: (bytes: Buffer) => Buffer): Promise<void> {
  const bytes = await services.objects.getLogObject(org, name);
  if (!bytes) throw new Error(`There is no object ${name}`);
  await s3.send(new PutObjectCommand({ Bucket: LOCAL.bucketName, Key: `log/${org}/${name}`, Body: how(bytes) }));
}

describe('the walk over a log', () => {
  it('finds nothing in a log that nobody changed, and begins again after a day', async () => {
    const org = await newLog();
    const since = clock.now();
    expect(await walk(org, since)).toEqual([]);
    const { walk: ended } = await readWalk(table, org);
    expect(ended).toMatchObject({ size: 600, range: { size: 512 }, finishedAt: expect.any(Number) });
    await changeObject(org, 'tile/0/000', (bytes) => flipped(bytes));
    expect(await walk(org, since)).toEqual([]);
    expect(await walk(org, plus(clock.now(), 1))).toEqual(['tile/0/000']);
  });

  it('continues at the stored place', async () => {
    const org = await newLog();
    expect(await walk(org, clock.now(), () => false)).toEqual([]);
    // As after an interruption behind the first bundle.
    const { walk: begun } = await readWalk(table, org);
    expect(begun).toBeNull();
    const leaves = trailEntries(org, 'walked', 256).map(leafHash);
    const { root } = parseCheckpoint(parseNote((await readCheckpoint(table, org))?.note ?? '').text);
    await saveWalk(table, org, { size: 600, root, range: appendLeaves(EMPTY_RANGE, leaves), finishedAt: null });
    await changeObject(org, 'tile/0/000', (bytes) => flipped(bytes));
    await changeObject(org, 'tile/0/001', (bytes) => flipped(bytes));
    expect(await walk(org)).toEqual(['tile/0/001']);
  });

  it.each<[string, (org: OrganizationId) => Promise<void>]>([
    ['tile/0/001', (org) => changeObject(org, 'tile/0/001', (bytes) => flipped(bytes, 100))],
    ['tile/entries/000', (org) => changeObject(org, 'tile/entries/000', (bytes) => flipped(bytes, 300))],
    ['tile/entries/001', (org) => changeObject(org, 'tile/entries/001', () => Buffer.of(1))],
    ['N#0#1', (org) => change(tileRootKey(org, 0, 1), (item) => ({ ...item, hash: flipped(item['hash']) }))],
    ['N#0#1', (org) => change(tileRootKey(org, 0, 1), (item) => ({ ...item, above: flipped(item['above']) }))],
    ['N#0#0', (org) => table.transact([{ remove: tileRootKey(org, 0, 0) }]).then(() => undefined)],
    [
      'batches of bundle 2',
      (org) => change(logBatchKey(org, 512), (item) => ({ ...item, packed: flipped(item['packed'], 40) })),
    ],
    ['checkpoint', (org) => change(checkpointKey(org), (item) => ({ ...item, hashes: flipped(item['hashes']) }))],
  ])('names %s after it was changed', async (part, how) => {
    const org = await newLog();
    await how(org);
    expect(await walk(org)).toEqual([part]);
  });

  it('names the root if an entry behind the last full bundle was exchanged', async () => {
    const org = await newLog();
    const other = newId<OrganizationId>(clock.now());
    await integrate(other, trailEntries(other, 'walked', 600));
    const { packed } = (await table.get(logBatchKey(other, 512))) as Item;
    await change(logBatchKey(org, 512), (item) => ({ ...item, packed }));
    expect(await walk(org)).toEqual(['root of the checkpoint 600']);
  });

  it('costs 6 units to read and 2 to write for 600 entries', async () => {
    const org = await newLog();
    const { table: counting, units } = countingTable(table);
    await walkLog({ ...services, table: counting }, org, { since: clock.now(), log: () => {}, isTime: () => true });
    // Head and checkpoint; two stored roots; the batch at the end. Two places are stored.
    expect(units).toEqual({ read: 6, write: 2 });
  });
});
