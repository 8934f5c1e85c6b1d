import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type EnvironmentId, newId, type OrganizationId, type PolicyId } from '#shared/base/ids.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { micros, plus } from '#shared/base/time.ts';
import { prepareBody } from '#shared/bodies/bodies.ts';
import { sealLink } from '#shared/environments/records/chain.ts';
import { snapshotContentKey, snapshotKey, snapshotTimeKey } from '#shared/environments/records/keys.ts';
import {
  indexAt,
  readContent,
  readContents,
  readSnapshot,
  readSnapshotRange,
  readSnapshots,
} from '#shared/environments/records/snapshots.ts';
import { contentText } from '#shared/environments/rules/content-text.ts';
import type { Item, Key } from '#shared/table/table.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';

const table = await testTable();
const objects = testObjects();
const org = newId<OrganizationId>(micros(1_700_000_000_000_000));
const [env, other] = [
  newId<EnvironmentId>(micros(1_700_000_000_000_000)),
  newId<EnvironmentId>(micros(1_700_000_000_000_000)),
];

const START = micros(1_800_000_000_000_000);
const HOUR = 3_600_000_000;
const ABOVE_INLINE = 40;

const contentOf = (index: number) => ({
  rows: [],
  policies: Array.from({ length: index % 2 === 0 ? ABOVE_INLINE : 1 }, (_, i) => ({
    id: newId<PolicyId>(plus(START, i)),
    name: newId(START),
    version: index,
    dump: { schema_version: '1' as const, artifacts: NOTHING },
  })),
});
const NOTHING = {
  provenance: { required: false, exceptions: [] },
  trail_compliance: { required: false, exceptions: [] },
  attestations: [{ if_condition: null, name: newId(START), type: '*', must_be_compliant: true, for_control: null }],
};
const contents = new Map<number, ReturnType<typeof contentOf>>();

/** Snapshots 1 to 12 of `env`, an hour apart; those with an even number have contents too long for the table. */
beforeAll(async () => {
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (let index = 1; index <= 12; index += 1) {
    const at = plus(START, (index - 1) * HOUR);
    const noisy = contentOf(index);
    // Random hex text compresses to half its size.
    for (const policy of noisy.policies) policy.name = randomBytes(200).toString('hex');
    contents.set(index, noisy);
    const content = prepareBody(objects, org, contentText(noisy), `snapshot:${env}:${index}`);
    expect(content.body.store).toBe(index % 2 === 0 ? 's3' : 'inline');
    await content.upload();
    const summary = { name: 'prod', state: null, known: null, compliant: false, events: 1, eventsBefore: index - 1 };
    const link = sealLink({ org, environment: env, number: index, at }, summary, content.commitment, previous);
    previous = link.hash;
    await table.put({ ...snapshotKey(org, env, index), v: 1, ...link });
    await table.put({ ...snapshotContentKey(org, env, index), v: 1, body: content.body });
    await table.put({ ...snapshotTimeKey(org, env, at), v: 1, index });
  }
});

const indexes = (snapshots: readonly ({ index: number } | null)[]) => snapshots.map((snapshot) => snapshot?.index);

describe('summaries', () => {
  it('are read by number', async () => {
    expect(await readSnapshot(table, org, env, 11)).toMatchObject({ index: 11, at: START + 10 * HOUR });
    for (const index of [0, -1, 13]) expect(await readSnapshot(table, org, env, index)).toBeNull();
    expect(await readSnapshot(table, org, other, 1)).toBeNull();
  });

  it('are read by a range of numbers, ascending, and the first that is missing is named', async () => {
    expect(indexes(await readSnapshotRange(table, org, env, { from: 9, to: 11 }))).toEqual([9, 10, 11]);
    expect(indexes(await readSnapshotRange(table, org, env, { from: -5, to: 2 }))).toEqual([1, 2]);
    await expect(readSnapshotRange(table, org, env, { from: 12, to: 99 })).rejects.toThrow(
      `Snapshot 13 of the environment ${env} is missing`,
    );
    expect(await readSnapshotRange(table, org, env, { from: 3, to: 2 })).toEqual([]);
  });

  it('summaries of several environments are read in the order asked', async () => {
    const asked = [
      { environment: env, index: 7 },
      { environment: other, index: 1 },
      { environment: env, index: 2 },
    ];
    expect(indexes(await readSnapshots(table, org, asked))).toEqual([7, undefined, 2]);
  });
});

describe('the newest snapshot at an instant', () => {
  it.each([
    ['before the first', START - 1, 0],
    ['at the first', START, 1],
    ['just before the next', START + HOUR - 1, 1],
    ['at one in the middle', START + 9 * HOUR, 10],
    ['long after the last', START + 999 * HOUR, 12],
    ['at the beginning of time', 0, 0],
  ])('the newest snapshot is found for an instant %s', async (_, at, index) => {
    expect(await indexAt(table, org, env, micros(at))).toBe(index);
  });
});

describe('contents', () => {
  it('are read from the table and from the bucket', async () => {
    expect(await readContent(table, objects, org, env, 3)).toEqual(contents.get(3));
    expect(await readContent(table, objects, org, env, 4)).toEqual(contents.get(4));
    for (const index of [0, 13]) expect(await readContent(table, objects, org, env, index)).toBeNull();
  });

  it('contents of several snapshots are read in the order asked', async () => {
    const asked = [6, 13, 5].map((index) => ({ environment: env, index }));
    expect(await readContents(table, objects, org, asked)).toEqual([contents.get(6), null, contents.get(5)]);
  });

  it('are fetched from the bucket once, and opened once', async () => {
    const fetched = vi.spyOn(objects, 'getBody');
    const first = await readContent(table, objects, org, env, 8);
    expect(first).toEqual(contents.get(8));
    expect(await readContent(table, objects, org, env, 8)).toBe(first);
    expect(fetched).toHaveBeenCalledTimes(1);
    fetched.mockRestore();
  });

  it('are null once they are erased, though they were read before', async () => {
    expect(await readContent(table, objects, org, env, 1)).toEqual(contents.get(1));
    const item = await changeItem(snapshotContentKey(org, env, 1), ({ body }) => ({
      body: { ...(body as object), store: 'erased', data: undefined },
    }));
    expect(await readContent(table, objects, org, env, 1)).toBeNull();
    await table.put(item);
  });
});

/** Replaces members of an item. @returns the item as it was */
async function changeItem(key: Key, change: (item: Item) => Record<string, unknown>): Promise<Item> {
  const item = await table.get(key);
  if (!item) throw new Error('There is no such item');
  await table.put({ ...item, ...change(item) });
  return item;
}

describe('a snapshot that was changed in the table', () => {
  it.each<[string, Record<string, unknown>]>([
    ['another name', { name: 'stage' }],
    ['another state', { state: true, compliant: true }],
    ['another time', { at: START + 1 }],
    ['another salt', { salt: new Uint8Array(32) }],
    ['other commitments', { pledges: { content: new Uint8Array(32), summary: new Uint8Array(32) } }],
    ['another hash of the one before', { previous: new Uint8Array(32).fill(1) }],
  ])('is not read: %s', async (_, change) => {
    const item = await changeItem(snapshotKey(org, env, 5), () => change);
    const fault = `The stored snapshot 5 of environment ${env} differs from what was accepted`;
    await expect(readSnapshot(table, org, env, 5)).rejects.toThrow(fault);
    await expect(readSnapshotRange(table, org, env, { from: 4, to: 6 })).rejects.toThrow(fault);
    await expect(readContent(table, objects, org, env, 5)).rejects.toThrow(fault);
    await table.put(item);
    expect((await readSnapshot(table, org, env, 5))?.index).toBe(5);
  });

  it('is not read under the number of another one', async () => {
    const other = await table.get(snapshotKey(org, env, 7));
    const item = await changeItem(snapshotKey(org, env, 9), () => ({ ...other, sk: snapshotKey(org, env, 9).sk }));
    await expect(readSnapshot(table, org, env, 9)).rejects.toThrow('snapshot 9');
    await table.put(item);
  });

  it('is not read with the content of another one', async () => {
    const other = await table.get(snapshotContentKey(org, env, 11));
    const item = await changeItem(snapshotContentKey(org, env, 9), () => ({ body: other?.['body'] }));
    const fault = `The stored content of snapshot 9 of environment ${env} differs from what was accepted`;
    await expect(readContent(table, objects, org, env, 9)).rejects.toThrow(fault);
    await expect(readContents(table, objects, org, [{ environment: env, index: 9 }])).rejects.toThrow(fault);
    await table.put(item);
  });
});
