import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Golden, goldenFolders, readGolden, writeGolden } from './golden-file.ts';

const GOLDEN: Golden = {
  about: {
    release: '1.0.0',
    readAt: 1_795_550_000_000_000,
    callers: { admin: 'ann', reader: 'rob', stranger: 'stan' },
    witnessed: '',
  },
  items: [
    {
      pk: { S: 'a' },
      sk: { S: 'b' },
      bytes: { B: new Uint8Array([1, 2]) },
      set: { BS: [new Uint8Array([3]), new Uint8Array([4])] },
      inner: { M: { list: { L: [{ N: '1' }, { NULL: true }, { B: new Uint8Array([5]) }] } } },
    },
  ],
  objects: [{ key: 'bodies/a/b', encoding: 'gzip', bytes: 'AAEC' }],
  answers: [
    {
      operation: 'listFlows',
      path: '/flows/acme',
      query: '',
      caller: 'admin',
      status: 200,
      type: 'application/json',
      body: [],
    },
  ],
};

function written(): string {
  const folder = mkdtempSync(join(tmpdir(), 'golden-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeGolden(folder, GOLDEN);
  return folder;
}

it('a golden table is read as it was written, with the bytes of items', () => {
  const read = readGolden(written());
  expect(read).toMatchObject({ about: GOLDEN.about, objects: GOLDEN.objects, answers: GOLDEN.answers });
  const [item] = read.items;
  expect(Buffer.from(item?.['bytes']?.B ?? [])).toEqual(Buffer.from([1, 2]));
  expect(item?.['set']?.BS?.map((bytes) => [...bytes])).toEqual([[3], [4]]);
  expect([...(item?.['inner']?.M?.['list']?.L?.[2]?.B ?? [])]).toEqual([5]);
});

it('a golden table with a changed byte is refused with one sentence that names the file', () => {
  const folder = written();
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(
      file,
      bytes.map((byte, i) => (i === 7 ? byte ^ 1 : byte)),
    );
    expect(() => readGolden(folder), name).toThrow(/^\S+ differs from its digest in sha256\.txt\. Restore both from /);
    writeFileSync(file, bytes);
  }
  expect(() => readGolden(folder)).not.toThrow();
});

it('a golden table of another form is refused with its number', () => {
  const folder = written();
  const file = join(folder, 'golden.json');
  const before = readFileSync(file);
  const after = Buffer.from(before.toString().replace('"form": 1', '"form": 2'));
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const digests = join(folder, 'sha256.txt');
  writeFileSync(file, after);
  writeFileSync(digests, readFileSync(digests, 'utf8').replace(digest(before), digest(after)));
  expect(() => readGolden(folder)).toThrow(/golden\.json has form 2\. This code reads form 1 only$/);
});

it('a folder without a golden table is refused with the missing file', () => {
  const folder = written();
  rmSync(join(folder, 'items.ndjson.br'));
  expect(() => readGolden(folder)).toThrow(`${folder} is no golden table: items.ndjson.br is missing`);
});

it('the golden tables of releases are listed by version, the oldest first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'releases-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const version of ['1.10.0', '1.9.0']) writeGolden(join(folder, version, 'golden'), GOLDEN);
  expect(goldenFolders(folder)).toEqual(['1.9.0', '1.10.0'].map((version) => join(folder, version, 'golden')));
  expect(goldenFolders(join(folder, 'none'))).toEqual([]);
});
