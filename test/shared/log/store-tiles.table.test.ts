import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { tileRootKey } from '#shared/log/records/keys.ts';
import { readRoots, storeRoots } from '#shared/log/records/log-batches.ts';
import { readCheckpoint, readHead, storeCheckpoint } from '#shared/log/records/log-state.ts';
import { type Grown, grow } from '#shared/log/rules/growth.ts';
import { logTiles, tileName } from '#shared/log/tiles.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { EMPTY_RANGE, leafHash, nodeHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';
import { movableClock } from '#test/support/clock.ts';
import { checkedEntries, integratorOf, LOG_KEY, logOrigin, trailEntries } from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';
import { putLog } from './started-log.ts';

const table = await testTable();
const integrator = integratorOf(table);
const { services, integrate } = integrator;
const clock = movableClock();
const newOrganization = () => newId<OrganizationId>(clock.now());
const entriesOf = (org: OrganizationId) => checkedEntries(services, org);

/** Stores a published log of 65,534 entries, without the full bundles. @returns the root of its full tiles */
async function startLargeLog(org: OrganizationId): Promise<Buffer> {
  // All entries but the last two are the same, so the roots of full subtrees need one hash for each height.
  const [entry] = trailEntries(org, 'same', 1) as [Buffer];
  const roots = [leafHash(entry)];
  for (let height = 1; height < 16; height += 1) {
    const below = roots[height - 1] as Buffer;
    roots.push(nodeHash(below, below));
  }
  const range = { size: 65_534, hashes: roots.slice(1).reverse() };
  const tileRoot = roots[8] as Buffer;
  await table.putMany(Array.from({ length: 255 }, (_, i) => ({ ...tileRootKey(org, 0, i), v: 1, hash: tileRoot })));
  await putLog(
    { table, clock },
    org,
    { range, tiled: 65_280 },
    { first: 65_280, entries: Array.from({ length: 254 }, () => entry) },
  );
  const text = formatCheckpoint({ origin: logOrigin(org), size: range.size, root: rootOf(range) });
  const note = formatNote(await signNote(text, [logSigner(logOrigin(org), LOG_KEY)]));
  await storeCheckpoint(table, org, { range, note, at: clock.now(), copied: { size: range.size, at: clock.now() } });
  return tileRoot;
}

describe('the integrator', () => {
  it('stores tiles at the borders of bundles', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'long', 600);
    let size = 0;
    for (const next of [255, 256, 257, 511, 512, 600]) {
      await integrate(org, entries.slice(size, next));
      size = next;
      expect([next, (await entriesOf(org)).length]).toEqual([next, next]);
    }
    expect((await readHead(table, org))?.tiled).toBe(512);
    expect(await entriesOf(org)).toEqual(entries);
  });

  it('stores a tile of level 1 with entry 65,536', async () => {
    const org = newOrganization();
    const tileRoot = await startLargeLog(org);
    await integrate(org, trailEntries(org, 'last', 2));
    const head = await readHead(table, org);
    expect([head?.range.size, head?.range.hashes.length, head?.tiled]).toEqual([65_536, 1, 65_536]);
    const tiles = logTiles(services, org, 65_536);
    const hashes = await tiles.hashes({ level: 1, index: 0, width: 256 });
    const last = rootOfLeaves(await tiles.hashes({ level: 0, index: 255, width: 256 }));
    expect(hashes).toEqual([...Array.from({ length: 255 }, () => tileRoot), last]);
    expect(await tiles.hashes({ level: 2, index: 0, width: 1 })).toEqual([rootOfLeaves(hashes)]);
    expect(head?.range.hashes).toEqual([rootOfLeaves(hashes)]);
  });

  it('stores no upper tile with a root that was changed in the table', async () => {
    const org = newOrganization();
    await startLargeLog(org);
    await table.put({ ...tileRootKey(org, 0, 7), v: 1, hash: Buffer.alloc(32) });
    const own = integratorOf(table);
    await own.integrate(org, trailEntries(org, 'last', 2));
    expect(own.logged).toMatchObject([{ facts: { error: 'LogDiffers' } }]);
    expect(await services.objects.getLogObject(org, tileName({ level: 1, index: 0, width: 256 }))).toBeNull();
    expect((await readCheckpoint(table, org))?.range.size).toBe(65_534);
  });

  it('stores the roots of all full subtrees of at least 256 entries with the tiles that end them', async () => {
    const org = newOrganization();
    const leaves = Array.from({ length: 21 * 256 }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));
    const tiles = batchesOf(leaves, 256).map(rootOfLeaves);
    // In pieces that do not end with the bundles.
    let grown: Grown = { range: EMPTY_RANGE, full: new Map() };
    for (const piece of batchesOf(leaves, 300)) grown = grow(grown, piece);
    for (const [index, roots] of grown.full) await storeRoots(table, org, index, roots);
    const subtrees = [8, 9, 10, 11, 12].flatMap((height) =>
      Array.from({ length: Math.floor(tiles.length / 2 ** (height - 8)) }, (_, position) => ({ height, position })),
    );
    const expected = subtrees.map(({ height, position }) => {
      const width = 2 ** (height - 8);
      return rootOfLeaves(tiles.slice(position * width, (position + 1) * width));
    });
    expect(await readRoots(table, org, subtrees)).toEqual(expected);
    expect(await readRoots(table, org, [{ height: 13, position: 0 }])).toEqual([null]);
    await table.put({ ...tileRootKey(org, 0, 15), v: 1, hash: tiles[15] });
    // Without the larger subtrees of its last tile, a root comes from tiles.
    expect(await readRoots(table, org, [{ height: 10, position: 3 }])).toEqual([null]);
  });
});
