import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { unpack } from '#infra/bundles/unpack.ts';
import { writeZip } from '#infra/bundles/zip.ts';
import { temporaryFolder } from '../synthesized.ts';

const folder = temporaryFolder('zip-');
const ZIP_MODULE = fileURLToPath(new URL('../../../infra/bundles/zip.ts', import.meta.url));

describe('an archive', () => {
  test('has the same bytes for the same files, whatever their order', () => {
    const [one, other] = [
      { name: 'a.js', bytes: Buffer.from('a') },
      { name: 'b/c.js', bytes: Buffer.from('c') },
    ];
    expect(writeZip([one, other])).toEqual(writeZip([other, one]));
  });

  test.each(['Pacific/Auckland', 'America/Los_Angeles'])('has the same bytes when it is made in %s', (TZ) => {
    const script = `
      import { writeZip } from ${JSON.stringify(ZIP_MODULE)};
      process.stdout.write(writeZip([{ name: 'a.js', bytes: Buffer.from('a') }]));`;
    const options = { env: { ...env, TZ } };
    const made = execFileSync(execPath, ['--input-type=module', '-e', script], options);
    expect(made).toEqual(writeZip([{ name: 'a.js', bytes: Buffer.from('a') }]));
  });

  test('is unpacked to the same readable files by this program and by another one', () => {
    const zip = join(folder, 'some.zip');
    const text = 'exports.handler = () => "hello";\n'.repeat(100);
    writeFileSync(zip, writeZip([{ name: 'engines/é.js', bytes: Buffer.from(text) }]));
    const script = [
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])',
      'print(oct(z.infolist()[0].external_attr >> 16))',
    ].join('\n');
    expect(String(execFileSync('python3', ['-c', script, zip, join(folder, 'theirs')])).trim()).toBe('0o100644');
    unpack(zip, join(folder, 'ours'));
    for (const whose of ['theirs', 'ours']) {
      expect(readFileSync(join(folder, whose, 'engines/é.js'), 'utf8')).toBe(text);
    }
  });

  test('an archive of bytes that are none is refused', () => {
    const file = join(folder, 'no.zip');
    writeFileSync(file, 'no archive at all, however long it may be');
    expect(() => unpack(file, join(folder, 'nothing'))).toThrow('invalid zip data');
    expect(() => statSync(join(folder, 'nothing'))).toThrow('ENOENT');
  });
});
