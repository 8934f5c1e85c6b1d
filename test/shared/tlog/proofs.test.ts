import { MerkleTree } from 'merkletreejs';
import { describe, expect, test } from 'vitest';
import { consistencyProof, inclusionProof, verifyConsistency, verifyInclusion } from '#shared/tlog/proofs.ts';
import type { HashTile } from '#shared/tlog/tiles.ts';
import { EMPTY_ROOT, nodeHash, rootOf } from '#shared/tlog/tree.ts';
import { leaves, rangeOf, treeOf } from './sample-log.ts';

const MAX_SIZE = 600;
const leafAt = (index: number): Buffer => leaves[index] ?? Buffer.alloc(0);

/** Computes roots by the recursive definition (RFC 9162 §2.1.1), which shares nothing with compact ranges. */
const known = new Map<string, Buffer>();
function rootByDefinition(start: number, end: number): Buffer {
  const key = `${start}-${end}`;
  const found = known.get(key);
  if (found) return found;
  const split = start + 2 ** Math.floor(Math.log2(end - start - 1));
  const root =
    end === start
      ? EMPTY_ROOT
      : end === start + 1
        ? leafAt(start)
        : nodeHash(rootByDefinition(start, split), rootByDefinition(split, end));
  known.set(key, root);
  return root;
}

const roots = Array.from({ length: MAX_SIZE + 1 }, (_, size) => rootByDefinition(0, size));
const headAt = (size: number) => ({ size, root: roots[size] ?? Buffer.alloc(0) });

describe('every size up to 600', () => {
  test('the compact range has the root of the definition', () => {
    expect(roots.findIndex((root, size) => !rootOf(rangeOf(size)).equals(root))).toBe(-1);
  });

  test('leaves have proofs of inclusion, and smaller trees have proofs of consistency', async () => {
    const failed: string[] = [];
    for (let size = 1; size <= MAX_SIZE; size++) {
      const tree = { ...treeOf(size), range: rangeOf(size) };
      for (const index of new Set([size - 1, 7919 % size])) {
        const proof = await inclusionProof(index, tree);
        if (!verifyInclusion({ index, leaf: leafAt(index), proof }, headAt(size))) failed.push(`${index} in ${size}`);
        const older = await consistencyProof(index, tree);
        if (!verifyConsistency(headAt(index), headAt(size), older)) failed.push(`${index} before ${size}`);
      }
    }
    expect(failed).toEqual([]);
  }, 30_000);
});

/** With the hash of inner nodes of our trees, this library makes the same trees: it lifts a node without a neighbour. */
const hashNodes = (pair: Buffer): Buffer => nodeHash(pair.subarray(0, 32), pair.subarray(32));

test.each([1, 2, 3, 7, 8, 100, 255, 256, 257, 300, 511, 512, 513, 600])(
  'a tree library of another author has the same root and the same proofs at size %i',
  async (size) => {
    const library = new MerkleTree(leaves.slice(0, size), hashNodes);
    expect(library.getRoot()).toEqual(roots[size]);
    for (const index of [0, size >> 1, size - 1]) {
      const proof = library.getProof(leafAt(index), index).map(({ data }) => data);
      expect(await inclusionProof(index, treeOf(size))).toEqual(proof);
    }
  },
);

describe('every size up to 9', () => {
  const pairs = Array.from({ length: 9 }, (_, i) => i + 1).flatMap((size) =>
    Array.from({ length: size }, (_, index) => ({ size, index })),
  );
  /** Every way to change a proof by one step. */
  const changes = (proof: Buffer[]): Buffer[][] => [
    ...proof.map((_, i) => proof.with(i, leafAt(99))),
    ...proof.map((_, i) => proof.toSpliced(i, 1)),
    ...[0, proof.length].map((i) => proof.toSpliced(i, 0, leafAt(99))),
  ];

  test.each(pairs)('the proof of leaf $index of $size holds, and no changed proof', async ({ size, index }) => {
    const leaf = leafAt(index);
    const proof = await inclusionProof(index, treeOf(size));
    expect(verifyInclusion({ index, leaf, proof }, headAt(size))).toBe(true);
    for (const changed of changes(proof))
      expect(verifyInclusion({ index, leaf, proof: changed }, headAt(size))).toBe(false);
    for (const { size: other, index: otherIndex } of pairs) {
      const isSame = other === size && otherIndex === index;
      expect(verifyInclusion({ index: otherIndex, leaf, proof }, headAt(other))).toBe(isSame);
    }
  });

  test.each([...pairs, ...pairs.filter(({ index }) => index === 0).map(({ size }) => ({ size, index: size }))])(
    'the proof that $size began with $index holds, and no changed proof',
    async ({ size, index: oldSize }) => {
      const proof = await consistencyProof(oldSize, treeOf(size));
      expect(verifyConsistency(headAt(oldSize), headAt(size), proof)).toBe(true);
      for (const changed of changes(proof)) {
        expect(verifyConsistency(headAt(oldSize), headAt(size), changed)).toBe(false);
      }
      const fork = { size: oldSize, root: leafAt(99) };
      expect(verifyConsistency(fork, headAt(size), proof)).toBe(false);
      expect(verifyConsistency(headAt(oldSize), { size, root: leafAt(99) }, proof)).toBe(oldSize === 0);
    },
  );
});

/** In a tree whose leaves are equal, all full subtrees of a height have the same root. So a tree can have any size. */
const evenRoots = [leafAt(0)];
function evenRoot(height: number): Buffer {
  const known = evenRoots[height];
  if (known) return known;
  const below = evenRoot(height - 1);
  const root = nodeHash(below, below);
  evenRoots[height] = root;
  return root;
}
function evenTree(size: number) {
  const bits = [...size.toString(2)].map((bit, i, all) => ({ bit, height: all.length - 1 - i }));
  const range = { size, hashes: bits.filter(({ bit }) => bit === '1').map(({ height }) => evenRoot(height)) };
  return {
    size,
    range,
    root: rootOf(range),
    readTile: async ({ level, width }: HashTile) => Array.from({ length: width }, () => evenRoot(8 * level)),
  };
}

test.each([
  [-1, 5],
  [5, 5],
  [0, 0],
  [1.5, 5],
  [Number.NaN, 5],
  [0, 2 ** 53],
])('a proof of inclusion of leaf %d of %d is refused', async (index, size) => {
  const root = EMPTY_ROOT;
  expect(verifyInclusion({ index, leaf: root, proof: [] }, { size, root })).toBe(false);
  await expect(inclusionProof(index, treeOf(size))).rejects.toThrow(`A tree of size ${size} has no leaf ${index}.`);
});

test.each([
  [-1, 5],
  [6, 5],
  [1.5, 5],
])('a proof that %d is older than %d is refused', async (oldSize, size) => {
  const root = EMPTY_ROOT;
  expect(verifyConsistency({ size: oldSize, root }, { size, root }, [])).toBe(false);
  await expect(consistencyProof(oldSize, treeOf(size))).rejects.toThrow('did not begin with');
});

describe('the reads of a proof', () => {
  test('are one per tile', async () => {
    const read: string[] = [];
    await inclusionProof(1, treeOf(600, read));
    expect(read.sort()).toEqual(['0/0/256', '0/2/88', '1/0/2']);
  });

  test('are one per level if the compact range is known', async () => {
    const read: string[] = [];
    const proof = await inclusionProof(1, { ...treeOf(600, read), range: rangeOf(600) });
    expect(read.sort()).toEqual(['0/0/256', '1/0/2']);
    expect(verifyInclusion({ index: 1, leaf: leafAt(1), proof }, headAt(600))).toBe(true);
  });

  test('are one per level for a proof of consistency with a known range', async () => {
    const read: string[] = [];
    const proof = await consistencyProof(300, { ...treeOf(600, read), range: rangeOf(600) });
    expect(read.sort()).toEqual(['0/1/256', '1/0/2']);
    expect(verifyConsistency(headAt(300), headAt(600), proof)).toBe(true);
  });

  test.each([257, 70_000, 200_000, 2 ** 24 + 7, 2 ** 32 - 1, 2 ** 32, 2 ** 40 - 3])(
    'are one tile and one read of stored roots for a leaf of a log of %i entries',
    async (size) => {
      const tree = evenTree(size);
      for (const index of [0, 255, 256, Math.floor(size / 3), Math.floor(size / 2) - 1, size - 1]) {
        const calls: string[] = [];
        const proof = await inclusionProof(index, {
          ...tree,
          readTile: (tile) => {
            calls.push('tile');
            return tree.readTile(tile);
          },
          readRoots: async (subtrees) => {
            calls.push('roots');
            return subtrees.map(({ height }) => evenRoot(height));
          },
        });
        expect(verifyInclusion({ index, leaf: leafAt(0), proof }, tree)).toBe(true);
        expect(calls.filter((call) => call === 'tile').length).toBeLessThanOrEqual(1);
        expect(calls.filter((call) => call === 'roots').length).toBeLessThanOrEqual(1);
      }
    },
  );

  test('include a tile for each root that is not stored', async () => {
    const read: string[] = [];
    const readRoots = async () => [null];
    const proof = await inclusionProof(1, { ...treeOf(600, read), range: rangeOf(600), readRoots });
    expect(read.sort()).toEqual(['0/0/256', '1/0/2']);
    expect(verifyInclusion({ index: 1, leaf: leafAt(1), proof }, headAt(600))).toBe(true);
  });

  test('fail if a tile has another width', async () => {
    const tree = { size: 5, readTile: async () => leaves.slice(0, 4) };
    await expect(inclusionProof(1, tree)).rejects.toThrow('Tile 0/000.p/5 has 4 hashes.');
  });

  test('do not begin if the range is of another size', () => {
    return expect(inclusionProof(1, { ...treeOf(5), range: rangeOf(6) })).rejects.toThrow('The range is of size 6');
  });
});
