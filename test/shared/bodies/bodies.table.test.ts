import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitment } from '#shared/base/digests.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import {
  INLINE_LIMIT,
  prepareBody,
  prepareSharedBody,
  readBody,
  readSharedBodies,
  StoredBody,
  sha256,
  sha256Hex,
} from '#shared/bodies/bodies.ts';
import { bodyKey, bodyPartition, bodyUseKey } from '#shared/bodies/keys.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';

let table: Table;
let objects: Objects;
beforeAll(async () => {
  table = await testTable();
  objects = testObjects();
});

let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(micros(1_800_000_000_000_000 + organizations * 1000));
};

/** A text of so many bytes that no compression makes smaller. */
const noise = (bytes: number) =>
  randomBytes(bytes)
    .toString('latin1')
    .replace(/[^ -~]/g, 'x')
    .slice(0, bytes);

/** Stores a body in an item and reads it from there, as a record does. */
async function kept(text: string) {
  const org = anOrganization();
  const prepared = prepareBody(objects, org, text, 'record-1');
  await prepared.upload();
  await table.transact([{ put: { ...storedKey(`${org}#TEST`, 'a'), body: prepared.body } }, ...prepared.writes]);
  const item = await table.get(storedKey(`${org}#TEST`, 'a'));
  return { org, prepared, body: StoredBody.parse(item?.['body']) };
}

describe('a body', () => {
  test.each([
    ['empty', ''],
    ['small', '{"a":1}'],
    ['not ASCII', 'naïve – ☃ 😀\u0000'],
    ['compressible and large', 'abc'.repeat(5_000)],
    ['too large for its item', noise(50_000)],
    ['beyond what an item could hold', 'lorem ipsum '.repeat(100_000)],
  ])('that is %s comes back to the letter', async (_, text) => {
    const { org, body, prepared } = await kept(text);
    expect(await readBody(objects, org, body)).toBe(text);
    expect(body).toMatchObject({ alg: 'sha256', size: Buffer.byteLength(text) });
    expect(Buffer.from(body.digest).equals(sha256(text))).toBe(true);
    expect(prepared.commitment.equals(commitment(body.salt, Buffer.from(text)))).toBe(true);
  });

  test('lies in its item up to 4 KB as it is packed, and in the bucket beyond', () => {
    const org = anOrganization();
    const text = randomBytes(12_000).toString('base64');
    const body = (length: number) => prepareBody(objects, org, text.slice(0, length), 'user').body;
    let [inline, beyond] = [0, text.length];
    while (beyond - inline > 1) {
      const middle = Math.floor((inline + beyond) / 2);
      if (body(middle).store === 'inline') inline = middle;
      else beyond = middle;
    }
    expect(body(inline).data?.length).toBeLessThanOrEqual(INLINE_LIMIT);
    expect(deflateRawSync(text.slice(0, beyond)).length).toBeGreaterThan(INLINE_LIMIT);
    expect(body(beyond)).toMatchObject({ store: 's3', enc: 'gzip', size: beyond });
    expect(inline).toBeGreaterThan(INLINE_LIMIT);
  });

  test('lies in its item up to 32 KB where it packs well, and in the bucket beyond, however well it would', () => {
    const stored = (length: number) => prepareBody(objects, anOrganization(), 'a'.repeat(length), 'user').body;
    expect(stored(32 * 1024)).toMatchObject({ store: 'inline', enc: 'deflate' });
    expect(stored(32 * 1024 + 1)).toMatchObject({ store: 's3', enc: 'gzip' });
  });

  test('a body in the bucket leaves an item per use, a body in its item leaves none', async () => {
    const large = await kept(noise(50_000));
    const uses = await table.query({ pk: bodyPartition(large.org, Buffer.from(large.body.digest).toString('hex')) });
    expect(uses.map(({ sk }) => sk)).toEqual(['USE#record-1']);
    expect((await kept('small')).prepared.writes).toEqual([]);
  });

  test('has a salt of its own each time', () => {
    const org = anOrganization();
    const [one, two] = [1, 2].map(() => prepareBody(objects, org, 'same', 'user'));
    expect(one?.body.salt).toHaveLength(32);
    expect(one?.body.salt).not.toEqual(two?.body.salt);
    expect(one?.commitment).not.toEqual(two?.commitment);
  });

  test('that was erased reads as null', async () => {
    const { org, body } = await kept('secret');
    const { data: _, ...erased } = { ...body, store: 'erased' as const };
    expect(await readBody(objects, org, erased)).toBeNull();
  });

  test('can be uploaded twice without harm', async () => {
    const org = anOrganization();
    const text = noise(20_000);
    const prepared = prepareBody(objects, org, text, 'user');
    await prepared.upload();
    await prepared.upload();
    expect(await readBody(objects, org, prepared.body)).toBe(text);
  });
});

describe('a shared body', () => {
  test.each([
    ['small', 'version: 1\n'],
    ['large', noise(30_000)],
  ])('that is %s is kept once for all who use it, with the first salt', async (_, text) => {
    const org = anOrganization();
    const first = await prepareSharedBody(table, objects, org, text, 'flow:1');
    await first.upload();
    await table.transact(first.writes);
    const kept = await table.get(bodyKey(org, first.digest));
    const second = await prepareSharedBody(table, objects, org, text, 'flow:2');
    await second.upload();
    await table.transact(second.writes);
    expect(first.digest).toBe(sha256Hex(text));
    expect(second.digest).toBe(first.digest);
    expect(await table.get(bodyKey(org, first.digest))).toEqual(kept);
    const users = (await table.query({ pk: bodyPartition(org, first.digest), prefix: 'USE#' })).map(({ sk }) => sk);
    expect(users).toEqual(expect.arrayContaining(['USE#flow:1', 'USE#flow:2']));
    expect(await readSharedBodies(table, objects, org, [first.digest])).toEqual(new Map([[first.digest, text]]));
    expect(await readSharedBodies(table, objects, org, [first.digest])).toEqual(new Map([[first.digest, text]]));
  });

  test('is prepared again if another writer stores the same text first', async () => {
    const org = anOrganization();
    const [first, second] = await Promise.all(
      ['flow:1', 'flow:2'].map((user) => prepareSharedBody(table, objects, org, 'the same', user)),
    );
    expect(await table.transact(first?.writes ?? [])).toBe('done');
    expect(await table.transact(second?.writes ?? [])).toBe('again');
    const { writes } = await prepareSharedBody(table, objects, org, 'the same', 'flow:2');
    expect(writes).toEqual([{ put: { ...bodyUseKey(org, first?.digest ?? '', 'flow:2'), v: 1 } }]);
  });

  test('is not found under the digest in another organization', async () => {
    const org = anOrganization();
    const { digest, writes } = await prepareSharedBody(table, objects, org, 'ours', 'flow:1');
    await table.transact(writes);
    await expect(readSharedBodies(table, objects, anOrganization(), [digest])).rejects.toThrow('No body is kept');
  });

  test('is refused if the stored text has another digest', async () => {
    const org = anOrganization();
    const { digest, writes } = await prepareSharedBody(table, objects, org, 'ours', 'flow:1');
    await table.transact(writes);
    const item = { ...bodyKey(org, digest), ...(await table.get(bodyKey(org, digest))) };
    const body = { ...StoredBody.parse((item as { body?: unknown }).body), data: Buffer.from('mine') };
    await table.put({ ...item, body });
    await expect(readSharedBodies(table, objects, org, [digest])).rejects.toThrow('a text with another digest');
  });
});
