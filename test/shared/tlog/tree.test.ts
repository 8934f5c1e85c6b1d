import { describe, expect, test } from 'vitest';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { appendLeaves, EMPTY_RANGE, EMPTY_ROOT, leafHash, rootOf, rootOfLeaves } from '#shared/tlog/tree.ts';

/** Test vectors of the reference implementation of certificate transparency. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (hex) => leafHash(Buffer.from(hex, 'hex')),
);

describe('a tree', () => {
  test.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [5, '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('a tree of %i leaves has the root of the test vectors', (size, root) => {
    expect(rootOfLeaves(LEAVES.slice(0, size)).toString('hex')).toBe(root);
  });

  test('gives the proof of the test vectors for leaf 5 of 8', async () => {
    const proof = await inclusionProof(5, { size: 8, readTile: async () => LEAVES });
    expect(proof.map((hash) => hash.toString('hex'))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });
});

describe('a compact range', () => {
  test('a compact range of no leaves has the root of the empty tree', () => {
    expect(rootOf(EMPTY_RANGE)).toEqual(EMPTY_ROOT);
  });

  test('is the same after one batch and after several, and appending does not change the old range', () => {
    const three = appendLeaves(EMPTY_RANGE, LEAVES.slice(0, 3));
    const before = structuredClone(three);
    expect(appendLeaves(three, LEAVES.slice(3))).toEqual(appendLeaves(EMPTY_RANGE, LEAVES));
    expect(three.hashes.map((hash) => Uint8Array.from(hash))).toEqual(
      before.hashes.map((hash) => Uint8Array.from(hash)),
    );
    expect(three.size).toBe(3);
  });

  test('works above 32 bits', () => {
    const size = 2 ** 40 + 1;
    const range = { size, hashes: LEAVES.slice(0, 2) };
    const next = appendLeaves(range, LEAVES.slice(2, 3));
    expect(next).toEqual({ size: size + 1, hashes: [LEAVES[0], rootOfLeaves(LEAVES.slice(1, 3))] });
  });

  test.each([
    [3, 1, 'A compact range of size 3 has 2 hashes, this one has 1.'],
    [0, 1, 'A compact range of size 0 has 0 hashes, this one has 1.'],
    [-1, 1, '-1 is not a size of a tree.'],
    [1.5, 1, '1.5 is not a size of a tree.'],
  ])('a compact range of size %d with %i hashes is refused', (size, count, sentence) => {
    const range = { size, hashes: LEAVES.slice(0, count) };
    expect(() => rootOf(range)).toThrow(sentence);
    expect(() => appendLeaves(range, [])).toThrow(sentence);
  });
});
