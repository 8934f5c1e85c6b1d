import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseNote } from '#shared/tlog/notes.ts';
import { openCheckpoint, policyOf } from '#shared/tlog/policy.ts';
import { formatProofFile, parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { encodeBundle, encodeTile } from '#shared/tlog/tiles.ts';
import { rootOf } from '#shared/tlog/tree.ts';
import {
  checkpointOf,
  entries,
  hashAt,
  leaves,
  log,
  logKey,
  rangeOf,
  treeOf,
  witness,
  witnessKey,
} from './sample-log.ts';

/** Other implementations of the standards accepted the files with these bytes. */

const sha256 = (bytes: Buffer | string): string => hash('sha256', bytes, 'hex');
const hashesAt = (level: number, from: number, to: number): Buffer[] =>
  Array.from({ length: to - from }, (_, i) => hashAt(level, from + i));

describe('the sample log', () => {
  test('has the keys of the vectors', () => {
    expect(log.verifierKey).toBe('acme.log.example+bba29780+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4');
    expect(witness.verifierKey).toBe('us.witness.example+608b9e11+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X');
  });

  test('has the entries of the vectors', () => {
    expect([entries[0]?.length, entries[1]?.length, entries[3]?.toString()]).toEqual([421, 477, 'entry 3']);
    expect(sha256(entries[1] ?? '')).toMatch(/^0e38332e6a52.*36a3d6$/);
    expect(leaves.slice(0, 2).map((leaf) => leaf.toString('hex'))).toEqual([
      '8ee39c9f03b7d6508a2cd1756e2f7ef51814465f1c4be98e6c7b17a417165aa9',
      'b56b7bd0d7a335e9e77df70565bbd8758565126e9c689ff7ccae43f3fc0c98b8',
    ]);
  });

  test.each([
    [3, '3XapNvfZ/HSyT1cjL2T7TsH6d/yT0pvbZpxhwAWn4u8='],
    [256, 'ZiVjIGAzLmGkJ7GJJ6VBnqJw/bFg7fZA+LkJa4IB5as='],
    [257, 'zjTVFhqwHoQX11fBivNISb9/0PMsMrcI+KXnw6qzLaM='],
    [600, 'UapBuTHCxD/NDh6arTRR9qGwBzPLpBPu4bRiAzNqOEo='],
  ])('has at size %i the root of the vectors', (size, root) => {
    expect(rootOf(rangeOf(size)).toString('base64')).toBe(root);
  });

  test.each([
    ['tile/0/000', encodeTile(hashesAt(0, 0, 256)), /^06ea2589.*be2066a1$/],
    ['tile/0/002.p/88', encodeTile(hashesAt(0, 512, 600)), /^ed05608d.*11ef7abbe$/],
    ['tile/1/000.p/2', encodeTile(hashesAt(1, 0, 2)), /^5064c737.*fbeb40515b$/],
    ['tile/entries/002.p/88', encodeBundle(entries.slice(512, 600)), /^9901eeba.*bb3153f2$/],
  ])('has %s with the bytes of the vectors', (_, bytes, digest) => {
    expect(sha256(bytes)).toMatch(digest);
  });

  test('has at size 600 the checkpoint of the vectors', async () => {
    const checkpoint = await checkpointOf(600);
    expect(checkpoint).toBe(
      [
        'acme.log.example',
        '600',
        'UapBuTHCxD/NDh6arTRR9qGwBzPLpBPu4bRiAzNqOEo=',
        '',
        '— acme.log.example u6KXgB2dW7jTbXtE53kbaPO1fuUvaGSTKNplxh5JbI7keF9S1330pfD96C0KXONHqziUdkwcf9AY3TwPh2WPb9Yqzgs=',
        '— us.witness.example YIueEQAAAABpH6uA1iCWM125xlZ5afw275TbNSAHhXDzC65tjUvxAmL58XPh/ZwcSjQNpdqiOWWZ9oNDN3w//w9FsjQYIEKXGf6NAg==',
        '',
      ].join('\n'),
    );
    expect(sha256(checkpoint)).toMatch(/^78b31731.*7fad1650e5$/);
  });

  test('proves entry 1 by a file that a reader with the keys alone verifies', async () => {
    const hashes = await inclusionProof(1, treeOf(600));
    expect(hashes).toHaveLength(10);
    expect(hashes[0]).toEqual(leaves[0]);
    const file = formatProofFile({
      index: 1,
      hashes,
      extra: entries[1] ?? Buffer.alloc(0),
      checkpoint: await checkpointOf(600),
    });
    const policy = { ...policyOf(logKey), witnesses: new Map([['us', { key: witnessKey }]]), quorum: 'us' };
    const verified = verifyProofFile(parseProofFile(file), leaves[1] ?? Buffer.alloc(0), policy);
    expect(verified).toMatchObject({
      origin: 'acme.log.example',
      size: 600,
      signatures: [{ key: logKey }, { key: witnessKey, seconds: 1763683200 }],
    });
  });

  test('of an empty tree has a checkpoint', async () => {
    const opened = openCheckpoint(await checkpointOf(0), policyOf(logKey));
    expect([opened.size, opened.root.toString('base64')]).toEqual([0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=']);
    expect(parseNote(await checkpointOf(0)).signatures).toHaveLength(2);
  });
});
