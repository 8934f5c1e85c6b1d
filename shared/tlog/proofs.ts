import { malformed } from './errors.ts';
import { type HashTile, TILE_WIDTH, tilePath, tileWidth } from './tiles.ts';
import { type CompactRange, EMPTY_ROOT, joined, nodeHash, rootOfLeaves } from './tree.ts';

/**
 * Proofs of inclusion (RFC 9162 §2.1.3) and of consistency (RFC 9162 §2.1.4): made from tiles, and verified
 * (rules/log.md#proofs).
 */

/** Reads the hashes of one tile: exactly `width` of them. */
export type ReadTile = (tile: HashTile) => Promise<readonly Buffer[]>;

/** The height of a full subtree whose root is the root of a full tile of level 0. */
export const TILE_HEIGHT = 8;

/** A full subtree: `2 ** height` leaves, from leaf `position * 2 ** height` on. */
export interface Subtree {
  height: number;
  position: number;
}

/** Leaves from `start` up to, but without, `end`. */
type Span = readonly [start: number, end: number];

export interface ProvenTree {
  size: number;
  readTile: ReadTile;
  /**
   * The compact range of the tree, if the caller has it. It spares the reads of tiles at the right edge. An inclusion
   * proof then reads at most one tile per level.
   */
  range?: CompactRange;
  /**
   * Reads the roots of full subtrees of at least 256 leaves, all of them at once, if they are stored. A proof of inclusion
   * with a known range then reads one tile besides. Null stands for a root that is not stored and comes from a tile.
   */
  readRoots?: (subtrees: readonly Subtree[]) => Promise<readonly (Buffer | null)[]>;
}

/**
 * Returns the hashes that lead from a leaf to the root (RFC 9162 §2.1.3.1). Reads all tiles at the same time, each once.
 *
 * @throws RangeError if the tree has no leaf of this index
 */
export async function inclusionProof(index: number, tree: ProvenTree): Promise<Buffer[]> {
  if (!isIndex(index) || !isIndex(tree.size) || index >= tree.size) {
    throw new RangeError(`A tree of size ${tree.size} has no leaf ${index}.`);
  }
  const spans: Span[] = [];
  let [start, end] = [0, tree.size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    spans.push(index < middle ? [middle, end] : [start, middle]);
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return hashesOf(spans.reverse(), tree);
}

/**
 * Returns the hashes that show that the tree began with the leaves of a smaller tree (RFC 9162 §2.1.4.1). The proof is
 * empty if the old tree is empty or is the whole tree.
 *
 * @throws RangeError if the old tree is larger
 */
export async function consistencyProof(oldSize: number, tree: ProvenTree): Promise<Buffer[]> {
  if (!isIndex(oldSize) || !isIndex(tree.size) || oldSize > tree.size) {
    throw new RangeError(`A tree of size ${tree.size} did not begin with a tree of size ${oldSize}.`);
  }
  if (oldSize === 0 || oldSize === tree.size) return [];
  const spans: Span[] = [];
  let [start, end] = [0, tree.size];
  while (end !== oldSize) {
    const middle = start + splitOf(end - start);
    spans.push(oldSize <= middle ? [middle, end] : [start, middle]);
    [start, end] = oldSize <= middle ? [start, middle] : [middle, end];
  }
  // The verifier knows the root of the old tree. It needs the last span only if that is a part of the old tree.
  if (start > 0) spans.push([start, end]);
  return hashesOf(spans.reverse(), tree);
}

/** Verifies that a leaf is in a tree at an index (RFC 9162 §2.1.3.2). @param leaf hash of the leaf */
export function verifyInclusion(
  { index, leaf, proof }: { index: number; leaf: Buffer; proof: readonly Buffer[] },
  { size, root }: { size: number; root: Buffer },
): boolean {
  if (!isIndex(index) || !isIndex(size) || index >= size) return false;
  const isLeft = sidesOf(index, size - 1, proof.length);
  if (!isLeft) return false;
  return proof.reduce((hash, sibling, i) => parentOf(hash, sibling, isLeft[i]), leaf).equals(root);
}

/** Verifies that a tree began with the leaves of an older tree (RFC 9162 §2.1.4.2). */
export function verifyConsistency(
  old: { size: number; root: Buffer },
  { size, root }: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!isIndex(old.size) || !isIndex(size) || old.size > size) return false;
  if (old.size === size) return proof.length === 0 && old.root.equals(root);
  if (old.size === 0) return proof.length === 0 && old.root.equals(EMPTY_ROOT);
  let [node, last] = [old.size - 1, size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // If the old tree is one full subtree, its root is the first hash of the path, and the proof leaves it out.
  const [first, ...path] = node === 0 ? [old.root, ...proof] : proof;
  const isLeft = sidesOf(node, last, path.length);
  if (!first || !isLeft) return false;
  const newRoot = path.reduce((hash, sibling, i) => parentOf(hash, sibling, isLeft[i]), first);
  // The old tree ended at this path, so it has only the siblings on the left.
  const oldRoot = path.filter((_, i) => isLeft[i]).reduce((hash, sibling) => nodeHash(sibling, hash), first);
  return oldRoot.equals(old.root) && newRoot.equals(root);
}

const parentOf = (hash: Buffer, sibling: Buffer, isLeft: boolean | undefined): Buffer =>
  isLeft ? nodeHash(sibling, hash) : nodeHash(hash, sibling);

/**
 * Says for each sibling of a path whether it stands on the left.
 *
 * @param node position of the first node of the path in its level
 * @param last position of the last node in this level
 * @returns undefined if a path of this length does not end at the root
 */
function sidesOf(node: number, last: number, length: number): boolean[] | undefined {
  const isLeft: boolean[] = [];
  while (isLeft.length < length) {
    if (last === 0) return undefined;
    isLeft.push(node % 2 === 1 || node === last);
    // The last node of a level has no sibling if its position is even. It then counts as a node of the level above.
    if (node === last) while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? isLeft : undefined;
}

/** Returns the hashes of spans of leaves. Each span is a full subtree or reaches to the end of the tree. */
function hashesOf(spans: readonly Span[], { size, readTile, readRoots, range }: ProvenTree): Promise<Buffer[]> {
  if (range && range.size !== size) {
    throw new RangeError(`The range is of size ${range.size}, the tree of size ${size}.`);
  }
  const known = new Map(range && subtreesOf([0, size]).map((subtree, i) => [keyOf(subtree), range.hashes[i]]));
  const tiles = new Map<string, Promise<readonly Buffer[]>>();
  const readOnce = (level: number, index: number): Promise<readonly Buffer[]> => {
    const tile = { level, index, width: tileWidth(size, level, index) };
    const path = tilePath(tile);
    const hashes = tiles.get(path) ?? readTile(tile).then((read) => complete(read, tile));
    tiles.set(path, hashes);
    return hashes;
  };
  const high = spans.flatMap(subtreesOf).filter((one) => one.height >= TILE_HEIGHT && !known.has(keyOf(one)));
  const stored = readRoots && high.length > 0 ? readRoots(high) : Promise.resolve([]);
  const storedHash = async (key: string) => (await stored)[high.findIndex((one) => keyOf(one) === key)];
  const hashOf = async (subtree: Subtree): Promise<Buffer> => {
    const key = keyOf(subtree);
    // A low subtree does not wait for the stored roots, so its tile is read at the same time.
    const hash = known.get(key) ?? (subtree.height < TILE_HEIGHT ? null : await storedHash(key));
    if (hash) return hash;
    const level = Math.floor(subtree.height / TILE_HEIGHT);
    const count = 2 ** (subtree.height % TILE_HEIGHT);
    const first = subtree.position * count;
    const hashes = await readOnce(level, Math.floor(first / TILE_WIDTH));
    return rootOfLeaves(hashes.slice(first % TILE_WIDTH, (first % TILE_WIDTH) + count));
  };
  return Promise.all(spans.map(async (span) => joined(await Promise.all(subtreesOf(span).map(hashOf)))));
}

function complete(hashes: readonly Buffer[], tile: HashTile): readonly Buffer[] {
  if (hashes.length === tile.width) return hashes;
  throw malformed(`Tile ${tilePath(tile)} has ${hashes.length} hashes.`);
}

/** Cuts a span into the largest full subtrees, from left to right. */
function subtreesOf([start, end]: Span): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    let height = 0;
    while (at % 2 ** (height + 1) === 0 && at + 2 ** (height + 1) <= end) height++;
    subtrees.push({ height, position: at / 2 ** height });
    at += 2 ** height;
  }
  return subtrees;
}

const keyOf = ({ height, position }: Subtree): string => `${height}/${position}`;

/** Returns the largest power of two that is smaller than a size of at least 2. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

// Bit operators of JavaScript cut numbers to 32 bits.
const half = (number: number): number => Math.floor(number / 2);
const isIndex = (number: number): boolean => Number.isSafeInteger(number) && number >= 0;
