import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unpack } from '#infra/bundles/unpack.ts';
import { readZip, writeZip } from '#infra/bundles/zip.ts';
import { temporaryFolder } from '../synthesized.ts';

const folder = temporaryFolder('zip-');

describe('an archive', () => {
  test('contains the entries that were written, in the order of their names', async () => {
    const name = fc.stringMatching(/^[a-z]{1,8}(?:\/[a-zé]{1,8}){0,2}\.js$/);
    const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array));
    const files = fc.uniqueArray(fc.record({ name, bytes }), { selector: (file) => file.name, maxLength: 6 });
    await fc.assert(
      fc.property(files, (entries) => {
        const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        expect(readZip(writeZip(entries))).toEqual(sorted);
      }),
    );
  });

  test('has the same bytes for the same files, whatever their order', () => {
    const [one, other] = [
      { name: 'a.js', bytes: Buffer.from('a') },
      { name: 'b/c.js', bytes: Buffer.from('c') },
    ];
    expect(writeZip([one, other])).toEqual(writeZip([other, one]));
  });

  test('is refused if its checksum is wrong or if it is no archive', () => {
    const zip = writeZip([{ name: 'a.js', bytes: Buffer.alloc(100, 'text') }]);
    zip.writeUInt8(zip.readUInt8(14) ^ 1, zip.length - 22 - 46 - 4 + 16);
    expect(() => readZip(zip)).toThrow('checksum');
    expect(() => readZip(Buffer.from('no archive at all, however long it may be'))).toThrow('Not an archive');
  });

  test('is unpacked to the same bytes by another program', () => {
    const zip = join(folder, 'some.zip');
    const text = 'exports.handler = () => "hello";\n'.repeat(100);
    writeFileSync(zip, writeZip([{ name: 'engines/é.js', bytes: Buffer.from(text) }]));
    const script =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])';
    execFileSync('python3', ['-c', script, zip, join(folder, 'theirs')]);
    unpack(zip, join(folder, 'ours'));
    for (const whose of ['theirs', 'ours']) {
      expect(readFileSync(join(folder, whose, 'engines/é.js'), 'utf8')).toBe(text);
    }
  });
});
