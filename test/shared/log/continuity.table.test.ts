import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { publishMessage } from '#shared/log/log-message.ts';
import { checkpointKey, cosignedKey, logBatchKey, logHeadKey, logPartition } from '#shared/log/records/keys.ts';
import { readCheckpoint, storeCosigned } from '#shared/log/records/log-state.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { tileName } from '#shared/log/tiles.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { movableClock } from '#test/support/clock.ts';
import { flipped } from '#test/support/log/flipped.ts';
import { checkedEntries, integratorOf, trailEntries } from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';

const table = await testTable();
const objects = testObjects();
const clock = movableClock();
const { services, integrate } = integratorOf(table, { clock });
const newOrganization = () => newId<OrganizationId>(clock.now());

/** Replaces an item of the table, as somebody with access to the database does. */
async function change(key: Key, how: (item: Item) => Item): Promise<void> {
  const item = await table.get(key);
  if (!item) throw new Error(`There is no item ${key.sk}`);
  await table.put(how(item));
}

/** The stored items of a log. */
const stored = (org: OrganizationId) => table.query({ pk: logPartition(org) });

/** Exchanges the characters of the note between two places for others that are base64 too. */
const otherBase64 = (note: unknown, from: number): string => {
  const text = String(note);
  return `${text.slice(0, from)}${text[from] === 'A' ? 'B' : 'A'}${text.slice(from + 1)}`;
};
const rootStart = (note: unknown) => String(note).split('\n').slice(0, 2).join('\n').length + 1;

/** Changes of one stored value, each to a value of the same form. */
const CHANGES: readonly [string, (org: OrganizationId) => Key, (item: Item) => Item][] = [
  ['a byte of the head', logHeadKey, (item) => ({ ...item, hashes: flipped(item['hashes'], 40) })],
  ['the origin of the head', logHeadKey, (item) => ({ ...item, origin: `x${item['origin']}` })],
  ['the number of stored tiles', logHeadKey, (item) => ({ ...item, tiled: 256 })],
  ['the size of the head', logHeadKey, (item) => ({ ...item, size: 21 })],
  ['a byte of the range of the checkpoint', checkpointKey, (item) => ({ ...item, hashes: flipped(item['hashes']) })],
  [
    'the root of the checkpoint',
    checkpointKey,
    (item) => ({ ...item, note: otherBase64(item['note'], rootStart(item['note'])) }),
  ],
  [
    'the signature of the checkpoint',
    checkpointKey,
    (item) => ({ ...item, note: otherBase64(item['note'], String(item['note']).length - 30) }),
  ],
  ['the size of the checkpoint', checkpointKey, (item) => ({ ...item, size: 17 })],
  ['the size of the last copy', checkpointKey, (item) => ({ ...item, copied: { size: 1_000, at: 0 } })],
  [
    'a batch without a checkpoint',
    (org) => logBatchKey(org, 18),
    (item) => ({ ...item, packed: flipped(item['packed'], 9) }),
  ],
];

describe('a log whose stored state was changed', () => {
  it.each(CHANGES)('is neither appended to nor signed: %s', async (_, keyOf, how) => {
    const org = newOrganization();
    const entries = trailEntries(org, 'long', 24);
    await integrate(org, entries.slice(0, 18));
    const paced = integratorOf(table, { clock, checkpointEvery: CHECKPOINT_EVERY, guarded: services.guarded });
    await paced.integrate(org, entries.slice(18, 22));
    await change(keyOf(org), how);
    const before = await stored(org);

    const own = integratorOf(table, { clock, guarded: services.guarded });
    expect(await own.integrate(org, entries.slice(22))).toBe(1);
    expect(await own.work([publishMessage(org).body])).toBe(1);
    expect(own.logged.map(({ facts }) => facts['error'])).toEqual(['LogDiffers', 'LogDiffers']);
    expect(await stored(org)).toEqual(before);
  });

  it('is neither appended to nor signed if the cosigned checkpoint was changed', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'cosigned', 3);
    await integrate(org, entries.slice(0, 2));
    const checkpoint = await readCheckpoint(table, org);
    if (checkpoint) await storeCosigned(table, org, checkpoint);
    expect(await integrate(org, entries.slice(0, 2))).toBe(0);
    await change(cosignedKey(org), (item) => ({ ...item, hashes: flipped(item['hashes']) }));
    const own = integratorOf(table, { clock });
    expect(await own.integrate(org, entries)).toBe(1);
    expect(own.logged).toMatchObject([{ facts: { error: 'LogDiffers' } }]);
  });

  it('gets no tile with an entry that was changed after it was published', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'full', 256);
    await integrate(org, entries.slice(0, 98));
    await integrate(org, entries.slice(98, 200));
    await change(logBatchKey(org, 98), (item) => ({ ...item, packed: flipped(item['packed'], 9) }));
    const published = await readCheckpoint(table, org);

    const own = integratorOf(table, { clock, guarded: services.guarded });
    await own.integrate(org, entries.slice(200));
    expect(own.logged).toMatchObject([
      { message: 'A log could not be published; a sweep tries again', facts: { error: 'LogDiffers' } },
    ]);
    expect(await objects.getLogObject(org, tileName({ level: 'entries', index: 0, width: 256 }))).toBeNull();
    expect(await readCheckpoint(table, org)).toEqual(published);
  });

  it('is appended to and published again after the value is back', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'mended', 4);
    await integrate(org, entries.slice(0, 3));
    const head = (await table.get(logHeadKey(org))) as Item;
    await table.put({ ...head, hashes: flipped(head['hashes']) });
    const own = integratorOf(table, { clock });
    expect(await own.integrate(org, entries)).toBe(1);
    await table.put(head);
    expect(await own.integrate(org, entries)).toBe(0);
    expect(await checkedEntries(services, org)).toEqual(entries);
  });
});
