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
    expect([entries[0]?.length, entries[1]?.length, entries[3]?.toString()]).toEqual([498, 629, 'entry 3']);
    expect(sha256(entries[1] ?? '')).toMatch(/^bc4f9b8d9e81.*20de033$/);
    expect(leaves.slice(0, 2).map((leaf) => leaf.toString('hex'))).toEqual([
      '62f56bfade2483ebd6a718915d65877976f284a2862e9ad42969c398140caf5d',
      '7b9210bd75127717922d451822d344bd9396a483070ba8091b1428cbb6ee2621',
    ]);
  });

  test.each([
    [3, '7Thv+XeP06hEmooDe1tjDU4FGmAC1xSlvQXarxFhwe4='],
    [256, '/qfvzXMpARSoiyWiVcxGnFnMHM4aTXV5d207dgus84U='],
    [257, '6ckrIoU0yCslOo0fuc1IE/G07sd8DOYjMjD6JsL4QbI='],
    [600, '1MbbvvVuyu2Bm3pog/0yJvAG51xKdNUPbjl1AL1Kc7U='],
  ])('has at size %i the root of the vectors', (size, root) => {
    expect(rootOf(rangeOf(size)).toString('base64')).toBe(root);
  });

  test.each([
    ['tile/0/000', encodeTile(hashesAt(0, 0, 256)), /^19d8ba03.*df1583bec$/],
    ['tile/0/002.p/88', encodeTile(hashesAt(0, 512, 600)), /^ed05608d.*11ef7abbe$/],
    ['tile/1/000.p/2', encodeTile(hashesAt(1, 0, 2)), /^144f32fa.*6bdee228f$/],
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
        '1MbbvvVuyu2Bm3pog/0yJvAG51xKdNUPbjl1AL1Kc7U=',
        '',
        '— acme.log.example u6KXgJ8cxDlJu8374IL4bBAzJw5UwwnOuvATdADXiHytOsdnjCYCO4//Y5K/c1IZ0Vhs0MoxJAhdvEbDy3MwBZFEtQc=',
        '— us.witness.example YIueEQAAAABpH6uAgok9sFCttDDDCRLJksIsy/7Vm8edo8Z2P4wdEK3A8L8Kyz6ff64lZaTtNJ4O3ixeJwo7cUnuFCr4ExD596aSCw==',
        '',
      ].join('\n'),
    );
    expect(sha256(checkpoint)).toMatch(/^9745b385.*cfab9c8$/);
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

  test('the sample log of an empty tree has a checkpoint', async () => {
    const opened = openCheckpoint(await checkpointOf(0), policyOf(logKey));
    expect([opened.size, opened.root.toString('base64')]).toEqual([0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=']);
    expect(parseNote(await checkpointOf(0)).signatures).toHaveLength(2);
  });
});
