import { describe, expect, it } from 'vitest';
import { TAR_END, tarEntry, tarHeader, tarPadding } from '#shared/exports/rules/tar.ts';
import { readTar } from '#test/support/log/read-tar.ts';

const MTIME = 1_763_683_200_000;

describe('entries of a tar file', () => {
  it.each([0, 1, 511, 512, 513, 100_000])('are read back with a content of %i bytes', async (size) => {
    const content = Buffer.alloc(size, 'x');
    const tar = Buffer.concat([await tarEntry('folder/one', content, MTIME), TAR_END]);
    expect(tar.length % 512).toBe(0);
    expect([...(await readTar(tar))]).toEqual([['folder/one', content]]);
  });

  it('are a file when they are joined, also with a content that comes in pieces, and with long names', async () => {
    const long = `${'organization'.repeat(10)}-4711/data/log/tile/entries/x001/x234/067.p/12`;
    const pieces = [Buffer.from('first '), Buffer.from('second')];
    const tar = Buffer.concat([
      await tarEntry(long, Buffer.from('tile'), MTIME),
      await tarHeader('folder/manifest', 12, MTIME),
      ...pieces,
      tarPadding(12),
      TAR_END,
    ]);
    const files = await readTar(tar);
    expect([...files.keys()]).toEqual([long, 'folder/manifest']);
    expect(files.get('folder/manifest')?.toString()).toBe('first second');
  });

  it('have the same bytes for the same content and time', async () => {
    const one = await tarEntry('folder/one', Buffer.from('x'), MTIME);
    expect(await tarEntry('folder/one', Buffer.from('x'), MTIME)).toEqual(one);
  });
});
